import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createUsedProofs, type UsedProofs } from '../src/used-proofs.ts'

/** RFC 9449 §11.1. Times in ms; a proof counts for 300 s. */

const maxAge = 300_000
const now = 1_800_000_000_000
const use = (used: UsedProofs, holder: string, jti: string, madeAt = now, at = now) =>
  used.use(holder, { jti, madeAt }, at)

/** What becomes of many proofs of one holder, each made a ms after the one before. */
const useMany = (used: UsedProofs, holder: string, count: number) =>
  new Set(Array.from({ length: count }, (_, at) => use(used, holder, `${holder}${at}`, now + at)))

it('ten thousand proofs of one holder push out nobody else’s, and none of theirs counts again', () => {
  const used = createUsedProofs(10_000, maxAge)
  expect(useMany(used, 'other', 100)).toEqual(new Set([undefined]))
  expect(useMany(used, 'busy', 10_000)).toEqual(new Set([undefined]))
  expect(useMany(used, 'other', 100)).toEqual(new Set(['The DPoP proof was used before']))
  expect(useMany(used, 'busy', 10_000)).not.toContain(undefined)
  expect(use(used, 'busy', 'busy0', now)).toMatch(/older than those that are remembered/)
  expect(use(used, 'busy', 'busy9999', now + 9999)).toMatch(/used before/)
  expect(useMany(used, 'third', 100)).toEqual(new Set([undefined]))
})

it('a busy holder gets along with a shorter time', () => {
  const used = createUsedProofs(100, maxAge)
  const times = Array.from({ length: 10_000 }, (_, at) => now + at * 1000)
  expect(times.filter((at) => use(used, 'busy', String(at), at, at) !== undefined)).toEqual([])
})

it('one that comes when each holder has a single, young proof is refused, and none is forgotten', () => {
  const used = createUsedProofs(10, maxAge)
  for (let at = 0; at < 10; at++) expect(use(used, `h${at}`, 'x')).toBeUndefined()
  expect(use(used, 'late', 'x', now + 4999, now + 4999)).toBe('Too many DPoP proofs are in use')
  for (let at = 0; at < 10; at++) expect(use(used, `h${at}`, 'x')).toMatch(/used before/)
  expect(use(used, 'late', 'x', now + maxAge + 1, now + maxAge + 1)).toBeUndefined()
})

it('where it is not young, whoever came first is forgotten, and what is as old counts no more', () => {
  const used = createUsedProofs(10, maxAge)
  for (let at = 0; at < 10; at++) expect(use(used, `h${at}`, 'x', now + at, now + at)).toBeUndefined()
  const later = now + 5001
  expect(use(used, 'late', 'x', later, later)).toBeUndefined()
  const old = 'The DPoP proof is older than those that are remembered'
  expect(use(used, 'h0', 'x', now, later)).toBe(old)
  expect(use(used, 'h0', 'y', now, later)).toBe(old)
  expect(use(used, 'h1', 'x', now + 1, later)).toMatch(/used before/)
})

it('ten thousand holders a minute, and some whose clock is ahead, keep nobody out', () => {
  const used = createUsedProofs(1000, maxAge)
  const refused = Array.from({ length: 50_000 }, (_, at) => {
    const clock = now + at * 6
    if (at % 500 === 0) use(used, `ahead${at}`, 'x', clock + 30_000, clock)
    return use(used, `h${at}`, 'x', clock - 500, clock)
  })
  expect(refused.filter((one) => one !== undefined)).toEqual([])
})

it('the same jti of two holders are two', () => {
  const used = createUsedProofs(10, maxAge)
  expect(use(used, 'a', 'x')).toBeUndefined()
  expect(use(used, 'b', 'x')).toBeUndefined()
  expect(use(used, 'a', 'x')).toMatch(/used before/)
})

it('never does one count twice while it is young enough, whatever comes in between', () => {
  const sent = fc.record({
    holder: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    jti: fc.integer({ min: 0, max: 9 }),
    age: fc.integer({ min: -30, max: 300 }),
    pause: fc.constantFrom(0, 0, 0, 1, 20, 200),
  })
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 200 }), fc.integer({ min: 1, max: 8 }), (all, capacity) => {
      const used = createUsedProofs(capacity, maxAge)
      const madeAt = new Map<string, number>()
      const accepted = new Set<string>()
      let clock = now
      for (const { holder, jti, age, pause } of all) {
        clock += pause * 1000
        // A proof keeps the time it was made at: the same name is the same proof.
        const name = `${holder} ${jti}`
        const made = madeAt.get(name) ?? clock - age * 1000
        madeAt.set(name, made)
        if (clock - made > maxAge) continue
        if (use(used, holder, String(jti), made, clock) !== undefined) continue
        expect(accepted.has(name)).toBe(false)
        accepted.add(name)
      }
    }),
    { numRuns: 2000 },
  )
})
