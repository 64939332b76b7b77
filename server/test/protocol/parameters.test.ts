import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProtocolError } from '../../dist/protocol/errors.js'
import { Parameters } from '../../dist/protocol/parameters.js'
import { anyText } from './any-text.ts'

const prototypeNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']

function refusal(work: () => unknown): ProtocolError {
  try {
    work()
  } catch (error) {
    if (error instanceof ProtocolError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

describe('Parameters', () => {
  it('reads what URLSearchParams wrote, whatever the names and values', () => {
    const one = fc.tuple(fc.oneof(anyText(), fc.constantFrom(...prototypeNames)), anyText())
    const distinct = fc.uniqueArray(one, { selector: ([name]) => name, maxLength: 20 })
    fc.assert(
      fc.property(distinct, (pairs) => {
        const parameters = Parameters.parse(new URLSearchParams(pairs).toString())
        for (const [name, value] of pairs) {
          if (value.includes('\0'))
            expect(refusal(() => parameters.optional(name)).code).toBe('invalid_request')
          else expect(parameters.optional(name)).toBe(value === '' ? undefined : value)
        }
      }),
    )
  })

  it('never throws anything but a refusal, whatever the bytes', () => {
    fc.assert(
      fc.property(anyText(0, 400), fc.string(), (text, name) => {
        try {
          Parameters.parse(text).required(name)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError)
        }
      }),
    )
  })

  it('refuses a name that comes twice, in any spelling and with any value, and only when it is read', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (name, one, two) => {
        const text = `${new URLSearchParams([[name, one]])}&other=x&${new URLSearchParams([[name, two]])}`
        fc.pre(name !== 'other')
        const parameters = Parameters.parse(text)
        expect(parameters.optional('other')).toBe('x')
        expect(refusal(() => parameters.optional(name)).code).toBe('invalid_request')
        expect(refusal(() => parameters.required(name)).code).toBe('invalid_request')
      }),
    )
    expect(refusal(() => Parameters.parse('c%6fde=a&code=b').optional('code')).description).toContain(
      'repeated',
    )
  })

  it.each(['a"b', 'ü', 'x'.repeat(61), 'a b', '\0'])('refuses %j twice without repeating it', (name) => {
    const twice = Parameters.parse(
      new URLSearchParams([
        [name, '1'],
        [name, '2'],
      ]).toString(),
    )
    expect(refusal(() => twice.refuseRepeated()).description).toBe(
      'The parameter of an unknown name is repeated; send it once.',
    )
  })

  it.each(prototypeNames)('has no parameter %s that was not sent', (name) => {
    const parameters = Parameters.parse('a=b')
    expect(parameters.optional(name)).toBeUndefined()
  })

  it.each(['a[]=1', 'a[0]=1', 'a[b]=1', 'a%5B%5D=1', 'a.b=1', 'A=1', ' a=1', 'a%00=1'])(
    'does not read %s as a',
    (text) => {
      expect(Parameters.parse(text).raw('a')).toBeUndefined()
      expect(refusal(() => Parameters.parse(text).required('a')).description).toContain('a is missing')
    },
  )

  it.each(['', '&&&', '=', '=x', '?', 'a', 'a='])('finds no value of a in “%s”', (text) => {
    expect(Parameters.parse(text).optional('a')).toBeUndefined()
  })

  it('counts the length in characters, up to and not beyond the limit', () => {
    expect(Parameters.parse(`a=${'x'.repeat(4096)}`).optional('a')).toHaveLength(4096)
    expect(refusal(() => Parameters.parse(`a=${'x'.repeat(4097)}`).optional('a')).code).toBe(
      'invalid_request',
    )
    expect(Parameters.parse('a=xyz').optional('a', 3)).toBe('xyz')
    expect(refusal(() => Parameters.parse('a=wxyz').optional('a', 3)).description).toContain('3')
  })

  it('takes a hundred parameters and not one more', () => {
    const text = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=x`).join('&')
    expect(Parameters.parse(text(100)).optional('p99')).toBe('x')
    expect(refusal(() => Parameters.parse(text(101))).code).toBe('invalid_request')
  })

  it('reads the query of an address that holds question marks itself', () => {
    expect(Parameters.ofUrl('/x?a=b?c=d').optional('a')).toBe('b?c=d')
    expect(Parameters.ofUrl('/x').raw('a')).toBeUndefined()
    expect(Parameters.ofUrl('/x?').raw('')).toBeUndefined()
  })

  it('never repeats a value in its refusals', () => {
    const parameters = Parameters.parse('secret=very-secret&secret=very-secret')
    expect(refusal(() => parameters.optional('secret')).description).not.toContain('very-secret')
  })

  it('is cheap whatever is sent', () => {
    const began = process.cpuUsage()
    for (const text of ['&'.repeat(65_000), 'a=b&'.repeat(16_000), '%'.repeat(65_000), '+'.repeat(65_000)]) {
      try {
        Parameters.parse(text).optional('a')
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError)
      }
    }
    // Microseconds of work, of which a busy machine needs no more.
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
  })
})
