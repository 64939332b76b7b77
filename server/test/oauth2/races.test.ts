import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { History, type Operation, randomFrom } from '../../../bench/history.ts'
import { problemsIn } from '../../../bench/races/check.ts'
import { applyAgainstApply } from '../../../bench/races/apply.ts'
import { Racers } from '../../../bench/races/racers.ts'
import { rotationAgainstSigning } from '../../../bench/races/rotation.ts'
import {
  guesses,
  oneCode,
  oneRefreshToken,
  revokeAgainstRefresh,
  type Round,
} from '../../../bench/races/rounds.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp } from '../harness/process.ts'

afterAll(cleanUp)

onEachDatabase('races between two processes', (dialect) => {
  let database: TestDatabase
  let racers: Racers
  const history = new History()
  const random = randomFrom(3)
  beforeAll(async () => {
    database = await createDatabase(dialect)
    racers = await Racers.start(database.url, history)
  })
  beforeEach(() => history.operations.splice(0))
  afterAll(async () => {
    await racers.stop()
    await database.remove()
  })

  async function race(round: Round, rounds: number, parallel: number): Promise<readonly Operation[]> {
    for (racers.round = 0; racers.round < rounds; racers.round++) await round(racers, parallel, random)
    expect(problemsIn(history.operations)).toEqual([])
    return history.operations
  }
  const answered = (operations: readonly Operation[], kind: Operation['kind'], status: number) =>
    operations.filter((one) => one.kind === kind && one.status === status).length

  it('exchange one code fifty times: one succeeds', async () => {
    const operations = await race(oneCode, 4, 50)
    expect(answered(operations, 'exchange', 200)).toBe(4)
    expect(answered(operations, 'exchange', 400)).toBe(4 * 49)
  })

  it('refresh one token fifty times: one successor, nobody is logged out', async () => {
    const operations = await race(oneRefreshToken, 2, 50)
    expect(answered(operations, 'refresh', 200)).toBe(2 * 51)
  })

  it('guess passwords fifty at a time: no more are evaluated than one after another', async () => {
    const operations = await race(guesses, 2, 50)
    expect(answered(operations, 'guess', 400)).toBe(2 * 10)
    expect(answered(operations, 'guess', 429)).toBe(2 * 40)
  })

  it('revoke against refresh: afterwards nothing of the family works', async () => {
    const operations = await race(revokeAgainstRefresh, 8, 12)
    expect(answered(operations, 'revoke', 200)).toBe(8)
    expect(answered(operations, 'refresh', 400)).toBeGreaterThanOrEqual(8 * 2)
  })

  it('rotate the keys against signing: every token verifies by the keys of either process', async () => {
    const operations = await race(rotationAgainstSigning, 1, 3)
    expect(answered(operations, 'sign', 200)).toBeGreaterThan(50)
  })

  it('apply against apply: what is left is one of the files, whole', async () => {
    // The round throws when it is neither.
    await expect(race(applyAgainstApply, 1, 1)).resolves.toEqual([])
  })
})

describe('the checker of the races', () => {
  const one = (kind: Operation['kind'], more: Partial<Operation> = {}): Operation => {
    return { round: 0, kind, subject: 'x', family: 'f', began: 0, ended: 10, status: 200, ...more }
  }
  const refused = { status: 400, error: 'invalid_grant' }

  it('has nothing against races as they should be', () => {
    const history = [
      ...[one('exchange', { subject: 'c' }), one('exchange', { subject: 'c', ...refused })],
      ...[one('refresh', { result: 's' }), one('refresh', { result: 's' })],
      ...Array.from({ length: 10 }, () => one('guess', { status: 400 })),
    ]
    expect(problemsIn(history)).toEqual([])
  })

  it.each<[string, RegExp, Operation[]]>([
    ['two successes', /2 exchanges succeeded/, [one('exchange'), one('exchange')]],
    ['no success', /0 exchanges succeeded/, [one('exchange', refused)]],
    ['a fork', /2 successors/, [one('refresh', { result: 's' }), one('refresh', { result: 't' })]],
    ['a logout', /a logout/, [one('refresh', refused)]],
    ['a revoked one that works', /after its family/, [one('revoke'), one('refresh', { began: 20 })]],
    ['a guess too many', /11 guesses/, Array.from({ length: 11 }, () => one('guess', { status: 400 }))],
    ['a fault', /answered 500/, [one('sign', { status: 500 })]],
  ])('sees %s', (_name, what, history) => {
    expect(problemsIn(history)).toHaveLength(1)
    expect(problemsIn(history)[0]).toMatch(what)
  })
})
