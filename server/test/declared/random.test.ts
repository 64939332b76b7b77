import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { applyDeclared } from '../../dist/declared/apply.js'
import type { Declared } from '../../dist/declared/declared.js'
import { emptyPlan, planDeclared } from '../../dist/declared/plan.js'
import { DeclaredFileError } from '../../dist/declared/problems.js'
import { Problem } from '../../dist/protocol/problem.js'
import { openStore } from '../../dist/database/open.js'
import { testKeeper } from '../harness/stores.ts'
import { acme, parse, passwords } from './support.ts'

const lineCount = (text: string) => text.split(/\r\n|\r|\n/).length

/** Reading ends well, or with problems that each have a line of the file. */
function readsOrRefuses(text: string): Declared | undefined {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof DeclaredFileError)) throw error
    expect(error.problems.length).toBeGreaterThan(0)
    for (const { line, reason } of error.problems) {
      expect(line).toBeGreaterThan(0)
      expect(line).toBeLessThanOrEqual(lineCount(text))
      expect(reason).not.toMatch(/[\r\n]/)
    }
    return undefined
  }
}

const strange = fc.oneof(
  fc.constantFrom(
    null,
    true,
    42,
    -1,
    1e400,
    '',
    '__proto__',
    'constructor',
    'iam',
    'iam.*',
    '*',
    '\0',
    '\uD800',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.constant('openid'), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('code', 'uuid', '__proto__', 'toString'), fc.constantFrom('a', null)),
)

const replacement = fc.option(strange, { nil: undefined })

describe('whatever stands in a declared file', () => {
  it('any text is read or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void readsOrRefuses(text)),
      { numRuns: 150 },
    )
  })

  it('any tree of YAML is read or refused', () => {
    const key = fc.constantFrom(
      'services',
      'roles',
      'users',
      'clients',
      'organisations',
      'code',
      'permissions',
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, strange, fc.array(tie('tree')), fc.dictionary(key, tie('tree'))),
    }))
    fc.assert(
      fc.property(tree, (value) => void readsOrRefuses(JSON.stringify(value) ?? '')),
      { numRuns: 150 },
    )
  })

  it('the example with a piece of its text changed is read or refused', () => {
    const piece = fc.record({
      start: fc.nat(acme.length),
      length: fc.nat(30),
      by: fc.oneof(
        fc.string({ maxLength: 10 }),
        fc.constantFrom('\n', ': ', '- ', '[', '{', '&a ', '*a', '|', '"', '\t'),
      ),
    })
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 3 }), (pieces) => {
        const text = pieces.reduce(
          (now, { start, length, by }) => now.slice(0, start) + by + now.slice(start + length),
          acme,
        )
        readsOrRefuses(text)
      }),
      { numRuns: 150 },
    )
  })

  it('the example with a value replaced or a key dropped is read or refused', () => {
    fc.assert(
      fc.property(fc.nat(), replacement, (position, value) => void readsOrRefuses(mutated(position, value))),
      { numRuns: 150 },
    )
  })

  it('what is read can be applied, and is then how things are', async () => {
    const store = await openStore('sqlite::memory:', testKeeper)
    const settings = { now: 1_000, ...passwords }
    const mutation = fc.tuple(fc.nat(), replacement)
    await fc.assert(
      fc.asyncProperty(mutation, async ([position, value]) => {
        const declared = readsOrRefuses(mutated(position, value))
        if (declared === undefined) return
        try {
          await applyDeclared(store, declared, settings)
        } catch (error) {
          // Each file meets what the ones before it left, and may contradict that, or take away who administers it.
          if (error instanceof DeclaredFileError) return
          if (error instanceof Problem && error.code === 'last_administrator') return
          throw error
        }
        // What only a file before this one named is listed as unnamed, and left alone.
        expect(await planDeclared(store, declared, settings)).toMatchObject(emptyPlan())
      }),
      { numRuns: 150 },
    )
    await store.close()
  })
})

/** The example with the value at a position replaced, or left out when there is none to put there. */
function mutated(position: number, value: unknown): string {
  const tree: unknown = parseYaml(acme)
  const places = placesIn(tree)
  const place = places[position % places.length]
  if (place === undefined) return acme
  if (value !== undefined) place.parent[place.key] = value
  else if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1)
  else delete place.parent[place.key]
  return JSON.stringify(tree, undefined, 1)
}

interface Position {
  parent: Record<string, unknown>
  key: string
}

function placesIn(tree: unknown): Position[] {
  if (typeof tree !== 'object' || tree === null) return []
  const parent = tree as Record<string, unknown>
  return Object.keys(parent).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])])
}
