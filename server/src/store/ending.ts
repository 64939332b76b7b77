/**
 * What ends with what. Every verb that disables, changes or removes something calls `end` in its transaction, with what
 * it is about and why. What has ended stays so when the thing is enabled again.
 */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { newId } from '../protocol/identifier.ts'
import { exchanges } from './exchange-lock.ts'
import { noticeLogouts } from './logout-notices.ts'
import { type SubjectKind, partsOf, type Subject, type Table, unusable, type Which } from './subject.ts'

export interface Ended {
  sessions: readonly { sid: string; user_uuid: string }[]
  families: number
}

interface Ending {
  which: Which
  now: number
  reason: string
  /** Factors that go on. */
  kept: readonly string[]
}

type End = (trx: Kysely<Schema>, ending: Ending) => Promise<Partial<Ended>>

const sessions: End = async (trx, { which, now }) => {
  const ended = await trx
    .updateTable('sessions')
    .set({ ended_at: now })
    .where('ended_at', 'is', null)
    .where(which('sessions'))
    .returning(['sid', 'user_uuid'])
    .execute()
  // The clients that are told of the logout.
  const sids = ended.map(({ sid }) => sid)
  await noticeLogouts(trx, sids, now)
  return { sessions: ended }
}

const families: End = async (trx, { which, now, reason }) => {
  const { numUpdatedRows } = await trx
    .updateTable('token_families')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('revoked_at', 'is', null)
    .where(which('token_families'))
    .executeTakeFirst()
  return { families: Number(numUpdatedRows) }
}

/**
 * Longer ago than the request was begun that any living code answers, whose id it has: a sign-in and the reset of a
 * password on its way take hours at the most.
 */
const oldestRequest = 24 * 3_600_000

/** Codes that were not exchanged yet. An exchange that waits for this transaction finds its code gone. */
const codes: End = async (trx, { which, now }) => {
  await trx
    .deleteFrom('authorization_codes')
    // Codes have ids that grow with time, so an index finds those that may still live.
    .where('id', '>', newId(now - oldestRequest))
    .where('expires_at', '>', now)
    .where('consumed_at', 'is', null)
    .where(which('authorization_codes'))
    .execute()
  return {}
}

/**
 * Tokens of machines and exchanged ones are stored nowhere; those of an earlier generation no longer count. A `web` client
 * that exchanges nothing any more may have done so before the same change.
 */
const unstoredTokens: End = async (trx, { which }) => {
  const next = sql<number>`token_generation + 1`
  await trx
    .updateTable('clients')
    .set({ token_generation: next })
    .where('type', 'in', ['machine', 'web'])
    .where(which('clients'))
    .execute()
  return {}
}

const removing =
  (table: Exclude<Table, 'clients' | 'sessions' | 'users'>): End =>
  async (trx, { which }) => {
    await trx.deleteFrom(table).where(which(table)).execute()
    return {}
  }

const [consents, devices, requests, pushed, deviceCodes] = [
  removing('consents'),
  removing('devices'),
  removing('authorization_requests'),
  removing('pushed_requests'),
  removing('device_codes'),
]
const trustedDevices = removing('trusted_devices')
const recoveryCodes = removing('recovery_codes')
const challenges = removing('webauthn_challenges')
/** Things that an undo gives back. */
const [restingFactors, heldAddresses] = [removing('removed_factors'), removing('held_addresses')]
/** All links, those too that undo a change, and a change of address or an enrolment that waits. */
const allLinks = removing('links')

/** Links that set a password; others of the person go on, such as those that undo a change. */
const resetLinks: End = async (trx, { which }) => {
  await trx.deleteFrom('links').where('purpose', '=', 'password_reset').where(which('links')).execute()
  return {}
}

/** Somebody who may have known the password enrolled them; pending ones too. */
const factors: End = async (trx, { which, kept }) => {
  if (kept.length === 0)
    await trx
      .updateTable('users')
      .set({ second_factor: 0 })
      .where(sql<boolean>`uuid in (select user_uuid from factors where ${which('factors')})`)
      .execute()
  const others = kept.length === 0 ? sql<boolean>`true` : sql<boolean>`id not in (${sql.join(kept)})`
  await trx.deleteFrom('factors').where(which('factors')).where(others).execute()
  return {}
}
/** The next client with the same client_id took part in no session. */
const familyRows = removing('token_families')

/** A link to an organisation's own upstream stays: it reaches no further than that. */
const installationLinks: End = async (trx, { which }) => {
  const ofAll = trx.selectFrom('upstreams').select('uuid').where('organisation_uuid', 'is', null)
  await trx
    .deleteFrom('upstream_links')
    .where(which('upstream_links'))
    .where('upstream_uuid', 'in', ofAll)
    .execute()
  return {}
}

/** No undo of theirs gives anything back from before. */
const ranks: End = async (trx, { which, now }) => {
  await trx.updateTable('users').set({ ranked_at: now }).where(which('users')).execute()
  return {}
}

/** All from before an account became somebody else's, or was proved to be its person's. */
const everything = [
  consents,
  devices,
  trustedDevices,
  challenges,
  factors,
  restingFactors,
  recoveryCodes,
  heldAddresses,
  allLinks,
  installationLinks,
  ranks,
]
/** Endings of a change by others, which outranks people's own. */
const setByOthers = [trustedDevices, resetLinks, restingFactors, heldAddresses, ranks]

/** What ends with what, always and for some reasons, in this order. */
const endings: Record<
  SubjectKind,
  { always: readonly End[]; because?: Readonly<Record<string, readonly End[]>> }
> = {
  family: { always: [families] },
  session: { always: [sessions, families] },
  // Codes are of a session, and end with it.
  users: {
    always: [sessions, families],
    because: {
      // A removed person's factors go with the row.
      user_removed: [consents, devices],
      user_disabled: [trustedDevices, resetLinks],
      // An administrator or a file did it, or a link that an administrator showed.
      password_changed: setByOthers,
      password_reset: [trustedDevices, resetLinks],
      password_reset_by_others: setByOthers,
      // A link of an administrator did it, for a person who can show no factor.
      factors_ended: [...setByOthers, challenges, factors, recoveryCodes],
      // Nobody knows by now whose a known browser is.
      repudiated: [trustedDevices, devices, resetLinks],
      // Somebody else set the password of an unproved account, or a file took it over.
      adopted: everything,
      proved: everything,
      stolen: everything,
    },
  },
  profiles: { always: [codes, families] },
  clients: {
    always: [unstoredTokens, codes, families],
    because: {
      client_moved: [consents, requests, pushed, deviceCodes],
      adopted: [consents, requests, pushed, deviceCodes],
      client_removed: [consents, requests, pushed, deviceCodes, familyRows],
    },
  },
  consent: { always: [codes, families] },
}

/**
 * Ends all that ends with the subject. Concurrency: waits for the exchanges under way first, so that what they give
 * ends too, and later ones find that the subject no longer counts. One session or family is locked by its row instead.
 */
export async function end(
  trx: Kysely<Schema>,
  subject: Subject,
  { now, reason, kept = [] }: { now: number; reason: string; kept?: readonly string[] },
): Promise<Ended> {
  const parts = await partsOf(trx, subject)
  const isOne = 'family' in subject || 'session' in subject
  if (parts.length > 0 && !isOne) await exchanges.alone(trx)
  return await endParts(
    trx,
    parts.map(([kind, which]) => [kind, { which, now, reason, kept }]),
  )
}

/** Ends what belongs to users, clients and profiles that do not count now, whichever they are. */
export async function endUnusable(trx: Kysely<Schema>, now: number): Promise<Ended> {
  await exchanges.alone(trx)
  const { user, client, profile } = unusable(trx, now)
  const ending = { now, kept: [] }
  return await endParts(trx, [
    ['users', { ...ending, which: user, reason: 'user_disabled' }],
    ['clients', { ...ending, which: client, reason: 'client_disabled' }],
    ['profiles', { ...ending, which: profile, reason: 'profile_disabled' }],
  ])
}

const counting = new WeakMap<Kysely<Schema>, { sessions: number; families: number }>()

/** How much this transaction ends from now on: of a change that is only tried out nobody is told otherwise. */
export function countEnded(trx: Kysely<Schema>): Readonly<Record<'sessions' | 'families', number>> {
  const count = { sessions: 0, families: 0 }
  counting.set(trx, count)
  return count
}

async function endParts(trx: Kysely<Schema>, parts: readonly [SubjectKind, Ending][]): Promise<Ended> {
  const all: { sessions: Ended['sessions'][number][]; families: number } = { sessions: [], families: 0 }
  for (const [kind, ending] of parts) {
    const { always, because } = endings[kind]
    for (const each of [...always, ...(because?.[ending.reason] ?? [])]) {
      const ended = await each(trx, ending)
      all.sessions.push(...(ended.sessions ?? []))
      all.families += ended.families ?? 0
    }
  }
  const count = counting.get(trx)
  if (count !== undefined) {
    count.sessions += all.sessions.length
    count.families += all.families
  }
  return all
}
