import { afterAll, describe, expect, it } from 'vitest'
import { boundariesOf, campaign } from '../../../bench/crash/campaign.ts'
import { problemsIn } from '../../../bench/crash/check.ts'
import type { Operation } from '../../../bench/history.ts'
import { createDatabase, onEachDatabase } from '../harness/databases.ts'
import { cleanUp } from '../harness/process.ts'

afterAll(cleanUp)

onEachDatabase('a service that is killed under load', (dialect) => {
  it('has lost nothing that it acknowledged, and lets nothing be used twice', async () => {
    const database = await createDatabase(dialect, 'empty')
    const outcome = await campaign({
      databaseUrl: database.url,
      seed: 7,
      // Enough to die at three boundaries and by the clock; thousands are what the bench is for (bench/crash).
      kills: 5,
      boundaries: 3,
      // The five seconds are the bench's: here others use the machine too.
      readyWithin: 60_000,
    })
    await database.remove()
    expect(outcome.problems).toEqual([])
    expect(outcome.kills).toBeGreaterThanOrEqual(5)
    // It did die at writes, and not by the clock alone; and there was something to lose.
    expect(boundariesOf(outcome.where)).toBeGreaterThanOrEqual(3)
    expect(outcome.operations - outcome.unanswered).toBeGreaterThan(10)
    expect(outcome.unanswered).toBeGreaterThan(0)
  })
})

describe('the checker of the crashes', () => {
  const at = (began: number, kind: Operation['kind'], more: Partial<Operation>): Operation => ({
    ...{ round: 0, kind, subject: 'x', family: 'c', status: 200, began, ended: began + 5 },
    ...more,
  })
  const issued: Operation = { ...at(0, 'authorize', { result: 'c' }) }
  delete issued.family
  const exchanged = at(10, 'exchange', { subject: 'c', result: 't1' })
  const rotated = at(20, 'refresh', { subject: 't1', result: 't2' })

  it('has nothing against a history as it should be', () => {
    const retried = at(5000, 'refresh', { subject: 't1', result: 't2' })
    const unknown = at(6000, 'refresh', { subject: 't2', status: undefined })
    const again = at(6100, 'refresh', { subject: 't2', result: 't3' })
    const replayed = at(30_000, 'refresh', { subject: 't1', status: 400, error: 'replayed' })
    const over = at(31_000, 'refresh', { subject: 't3', status: 400, error: 'invalid_grant' })
    const history = [issued, exchanged, rotated, retried, unknown, again, replayed, over]
    expect(problemsIn(history)).toEqual([])
  })

  it('knows that a replay without an answer may have ended the family', () => {
    const replay = at(20_000, 'refresh', { subject: 't1', status: undefined })
    const refused = at(21_000, 'refresh', { subject: 't2', status: 400, error: 'invalid_grant' })
    expect(problemsIn([issued, exchanged, rotated, replay, refused])).toEqual([])
  })

  it.each<[string, RegExp, Operation[]]>([
    ['a code that worked twice', /worked twice/, [at(30, 'exchange', { subject: 'c', result: 't9' })]],
    ['a fork', /a fork/, [at(30, 'refresh', { subject: 't1', result: 't3' })]],
    ['a rotated token that lives', /back to life/, [at(20_000, 'refresh', { subject: 't1', result: 't2' })]],
    [
      'a token that is lost',
      /is lost/,
      [at(30, 'refresh', { subject: 't2', status: 400, error: 'invalid_grant' })],
    ],
    [
      'a retry that is refused',
      /is lost/,
      [
        at(30, 'refresh', { subject: 't2', status: undefined }),
        at(900, 'refresh', { subject: 't2', status: 400, error: 'replayed' }),
      ],
    ],
    [
      'a revoked family that lives',
      /had been revoked/,
      [at(30, 'revoke', {}), at(40, 'refresh', { subject: 't2', result: 't3' })],
    ],
    [
      'an access token of a replayed code',
      /had been revoked/,
      [at(30, 'exchange', { subject: 'c', status: 400, error: 'replayed' }), at(40, 'userinfo', {})],
    ],
    ['a fault', /must never be/, [at(30, 'userinfo', { status: 500 })]],
    ['a session that is lost', /must never be/, [at(30, 'authorize', { status: 303 })]],
  ])('sees %s', (_name, what, more) => {
    const problems = problemsIn([issued, exchanged, rotated, ...more])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(what)
  })

  it('sees a code that is lost', () => {
    const refused = at(10, 'exchange', { subject: 'c', status: 400, error: 'invalid_grant' })
    expect(problemsIn([issued, refused])[0]).toMatch(/is lost/)
  })
})
