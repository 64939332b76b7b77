import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CsvError, parseCsv } from '../src/csv.ts'

it.each<[string, string[][]]>([
  ['', []],
  ['\n\r\n', []],
  ['a', [['a']]],
  [
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a,', [['a', '']]],
  [',', [['', '']]],
  [
    ',\n,',
    [
      ['', ''],
      ['', ''],
    ],
  ],
  ['""', []],
  ['"a""b","c\r\nd",""', [['a"b', 'c\r\nd', '']]],
  ['\ufeffa', [['a']]],
])('%j', (text, records) => {
  expect(parseCsv(text)).toEqual(records)
})

it.each(['"', '"a', 'a"', '"a"b', 'a,"b"c', '"a""', 'a\rb', ' "a"'])('%j is refused', (text) => {
  expect(() => parseCsv(text)).toThrow(CsvError)
})

it('reads back whatever is written with quotes', () => {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
  const records = fc.array(fc.array(fc.string(), { minLength: 2, maxLength: 4 }))
  fc.assert(
    fc.property(records, fc.constantFrom('\n', '\r\n'), (written, end) => {
      expect(parseCsv(written.map((one) => one.map(quote).join(',')).join(end))).toEqual(written)
    }),
  )
})

it('answers any text, with records or a refusal, and in time', () => {
  const piece = fc.constantFrom('"', ',', '\n', '\r', 'a', '""')
  fc.assert(
    fc.property(
      fc.array(piece).map((pieces) => pieces.join('')),
      (text) => {
        try {
          parseCsv(text)
        } catch (problem) {
          expect(problem).toBeInstanceOf(CsvError)
        }
      },
    ),
  )
  const began = process.cpuUsage()
  expect(() => parseCsv(`"${'""'.repeat(500_000)}`)).toThrow(CsvError)
  expect(parseCsv('a,'.repeat(500_000)).length).toBe(1)
  // Microseconds of work, of which a busy machine needs no more.
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000)
})
