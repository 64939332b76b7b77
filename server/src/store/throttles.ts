import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import { lastly, together } from '../database/steps.ts'
import { emailKey } from '../protocol/email-address.ts'
import { hashSecret } from '../protocol/identifier.ts'

const minute = 60_000
/** A delay begins from `free` failures on, and doubles with each one up to the longest. */
const firstDelay = 5000
const longestDelay = 15 * minute
const usualMemory = 60 * minute

/** A key that counts attempts, and how many of them may fail before a delay begins: at least 1. */
export interface Throttle {
  key: string
  free: number
  /** Failures are forgotten this long after the last, ms; an hour where nothing is said. */
  memory?: number
}

/** Keys that count the attempts of one person. */
export const throttleKeys = {
  account: (emailKey: string) => `account ${hashSecret(emailKey)}`,
  device: (known: string) => `device ${known}`,
  secondFactor: (user_uuid: string) => `second factor ${user_uuid}`,
  secondFactorDevice: (known: string) => `second factor device ${known}`,
}

/** An attempt that counts: how many there are by now, and the milliseconds until the next one may, if it was wrong. */
export interface Counted {
  key: string
  failures: number
  delay: number
  /** The end of the delay that this very attempt began, or 0. */
  nextAt: number
}

/**
 * Counts an attempt by each of these before it is evaluated, so that parallel guesses count as sequential ones
 * (decisions 7). Yields what was counted, in their order, when the attempt may be evaluated; or the milliseconds
 * until one may, and then nothing is counted. Reads `beside` in the same message.
 *
 * Concurrency: a conditional upsert each, all in one transaction; of any number of parallel attempts no more pass
 * than each allows. Where one of them allows it and a parallel attempt begins the delay of another, what was counted is
 * taken back. A crash of PostgreSQL may lose the attempts of its last second. What is shared comes first wherever several
 * are touched, so that none waits in a circle.
 */
export async function countAttempt<Beside>(
  store: Store,
  throttles: readonly Throttle[],
  now: number,
  beside: () => Steps<Beside>,
): Promise<[Counted[] | { retryAfter: number }, Beside]> {
  if (throttles.length === 0) return [[], await store.read(beside())]
  const attempts = throttles.map((one, index) => attemptAt(one, throttles[1 - index] ?? one, now))
  const [answers, found] = await store.write(
    () => lastly(together(...attempts.map((one) => together(upsert(one), nextOf(one)))), beside()),
    'losable',
  )
  const counted = answers.flatMap(([passed], index): Counted[] => {
    const key = throttles[index]?.key
    if (passed === undefined || key === undefined) return []
    const { failures, next_at: nextAt } = passed
    return [{ key, failures, delay: Math.max(0, nextAt - now), nextAt }]
  })
  if (counted.length === throttles.length) return [counted, found]
  await uncountAttempt(store, counted)
  const ends = answers.map(([passed, next]) => (passed === undefined ? (next?.next_at ?? now) : now))
  return [{ retryAfter: Math.max(1, ...ends.map((end) => end - now)) }, found]
}

/** Counts one attempt, with nothing read beside it. */
export async function countAlone(
  store: Store,
  throttles: readonly Throttle[],
  now: number,
): Promise<Counted[] | { retryAfter: number }> {
  return (await countAttempt(store, throttles, now, () => together()))[0]
}

const attemptAt = (
  { key, free, memory = usualMemory }: Throttle,
  { key: other }: Throttle,
  now: number,
): Attempt => ({
  key,
  other,
  now,
  first: free > 1 ? 0 : now + firstDelay,
  free,
  expiresAt: now + memory,
})

interface Attempt {
  key: string
  /** The other key that counts. */
  other: string
  now: number
  /** When the next attempt may be evaluated after the first one. */
  first: number
  free: number
  expiresAt: number
}

const upsert = preparedRow<Attempt, { failures: number; next_at: number }>((db, slot) => {
  const now = bigint(slot('now'))
  // A delay that this attempt began in the statement before is for later ones.
  const refusing = sql`select 1 from throttles where key = ${slot('other')} and expires_at <> ${slot('expiresAt')}
    and not ${isFree(now)}`
  return db
    .insertInto('throttles')
    .columns(['key', 'failures', 'next_at', 'expires_at'])
    .expression(
      sql`select ${slot('key')}, 1, ${slot('first')}, ${slot('expiresAt')} where not exists (${refusing})`,
    )
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          failures: sql<number>`case when throttles.expires_at <= ${now} then 1 else throttles.failures + 1 end`,
          next_at: sql<number>`case when throttles.expires_at <= ${now} then ${bigint(slot('first'))}
            ${delays(bigint(slot('free')), now)} else 0 end`,
          expires_at: slot('expiresAt'),
        })
        .where(isFree(now)),
    )
    .returning(['failures', 'next_at'])
})

/** No delay lasts; nor is one longer than any, as after the clock was set back. */
const isFree = (now: Bigint) =>
  sql<boolean>`(throttles.next_at <= ${now} or throttles.next_at > ${now} + ${sql.lit(2 * longestDelay)})`

/**
 * When the next attempt may be evaluated after the one that is being counted, as branches of a CASE: both databases
 * know it. 0 without a delay, and not `now`: a parallel attempt may have looked at the clock earlier.
 */
function delays(free: Bigint, now: Bigint) {
  const steps: { over: number; delay: number }[] = []
  for (let over = -1, delay = firstDelay; ; over++, delay *= 2) {
    steps.push({ over, delay: Math.min(delay, longestDelay) })
    if (delay >= longestDelay) break
  }
  const branches = steps
    .reverse()
    .map(
      ({ over, delay }) =>
        sql`when throttles.failures >= ${free} + ${sql.lit(over)} then ${now} + ${sql.lit(delay)}`,
    )
  return sql.join(branches, sql` `)
}

/** A parameter is text to PostgreSQL until it is told otherwise. */
const bigint = (value: number) => sql<number>`cast(${value} as bigint)`
type Bigint = ReturnType<typeof bigint>

const nextOf = preparedRow<{ key: string }, { next_at: number }>((db, slot) =>
  db.selectFrom('throttles').select('next_at').where('key', '=', slot('key')),
)

/** A delay that another attempt began stays: an attacker could otherwise end it by a right password of their own. */
const takeBack = prepared<{ key: string; nextAt: number }, never>((db, slot) =>
  db
    .updateTable('throttles')
    .set({
      failures: sql<number>`case when failures > 0 then failures - 1 else 0 end`,
      next_at: sql<number>`case when next_at = ${bigint(slot('nextAt'))} then 0 else next_at end`,
    })
    .where('key', '=', slot('key')),
)

const forget = prepared<{ key: string }, never>((db, slot) =>
  db.deleteFrom('throttles').where('key', '=', slot('key')),
)

/** Takes an attempt back: it was counted, but never evaluated. */
export async function uncountAttempt(store: Store, counted: readonly Counted[]): Promise<void> {
  if (counted.length > 0) await store.write(() => lastly(uncounting(counted)), 'losable')
}

const uncounting = (counted: readonly Counted[]) =>
  together(...counted.map(({ key, nextAt }) => takeBack({ key, nextAt })))

/**
 * Forgets what was counted of a person, by the account and by the browsers that it is known in. Part of another verb.
 * Yields how many counts there were.
 */
export async function forgetAttemptsOf(
  trx: Kysely<Schema>,
  { uuid, email_key: emailKey }: { uuid: string; email_key: string },
): Promise<number> {
  const known = await trx.selectFrom('devices').select('id_hash').where('user_uuid', '=', uuid).execute()
  const { account, secondFactor, device, secondFactorDevice } = throttleKeys
  const ofDevices = known.flatMap(({ id_hash: id }) => [device(id), secondFactorDevice(id)])
  let forgotten = 0
  for (const keys of chunksOf([account(emailKey), secondFactor(uuid), ...ofDevices])) {
    const { numDeletedRows } = await trx.deleteFrom('throttles').where('key', 'in', keys).executeTakeFirst()
    forgotten += Number(numDeletedRows)
  }
  return forgotten
}

/** Forgets the wrong passwords that were counted by the account: those were of another password. Part of another verb. */
export async function forgetAccount(trx: Kysely<Schema>, email: string): Promise<void> {
  await trx
    .deleteFrom('throttles')
    .where('key', '=', throttleKeys.account(emailKey(email)))
    .execute()
}

/** The counts that a right attempt changes: those who share the others go on being counted. */
export interface SettledAttempt {
  /** The failures of this one are forgotten. */
  own: Counted | undefined
  /** The keys that the attempt is taken back from. */
  shared: readonly Counted[]
}

/** Part of the verb that a right attempt leads to. In the order in which attempts are counted: each locks its row. */
export const settling = ({ own, shared }: SettledAttempt) =>
  together(uncounting(shared), ...(own === undefined ? [] : [forget({ key: own.key })]))
