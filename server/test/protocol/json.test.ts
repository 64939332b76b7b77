import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, RepeatedName } from '../../dist/protocol/json.js'

/** The name that is refused; undefined: the text is read. */
function refusedName(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    if (error instanceof RepeatedName) return error.path
    throw error
  }
}

describe('JSON', () => {
  it('is read as JSON.parse reads it where each name of an object is its own', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it('that is none is refused as JSON.parse refuses it, and never read', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          JSON.parse(text)
        } catch {
          expect(() => parseJson(text)).toThrow(SyntaxError)
        }
      }),
    )
    for (const text of ['', '{"a":1,"a":2', '{"a":1,}', "{'a':1}", '\uFEFF{}'])
      expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  it('with a name twice is refused, whatever is around it, and however it is written', () => {
    const escaped = (name: string) =>
      `"${[...name].map((one) => [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')).join('')}"`
    fc.assert(
      fc.property(
        fc.json(),
        fc.json(),
        fc.json(),
        fc.string(),
        fc.boolean(),
        (around, one, two, name, spelled) => {
          const second = spelled ? escaped(name) : JSON.stringify(name)
          const inner = `{ ${JSON.stringify(name)} : ${one} , ${second}\n:${two}}`
          expect(refusedName(inner)).toBe(name)
          expect(refusedName(`[${around}, {"x\\"y": ${inner}}]`)).toBe(`1.x"y.${name}`)
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['{"a":{"b":1},"b":{"a":1}}', undefined],
    ['[{"a":1},{"a":2}]', undefined],
    ['{"a":"a","b":["a","a"]}', undefined],
    [String.raw`{"a":"\\","b":"\"","c":"},{\"a\":"}`, undefined],
    ['{"a":1,"A":2}', undefined],
    ['{"__proto__":1,"a":2,"__proto__":3}', '__proto__'],
    ['{"profiles":[{"role":"a"},{"role":"a","role":"b"}]}', 'profiles.1.role'],
    ['{"a":{"b":[1,{"c":{},"d":[],"c":0}]}}', 'a.b.1.c'],
    [String.raw`{"\\":1,"\u005c":2}`, '\\'],
    ['{"":1,"":2}', ''],
  ])('%s: %j', (text, name) => {
    expect(refusedName(text)).toBe(name)
  })
})
