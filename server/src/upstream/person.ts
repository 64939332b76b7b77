/** The account of an upstream's proof (decisions 18). The one place that makes a person of an assertion. */
import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import { rowOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { isTaken } from '../store/addresses.ts'
import { inTransaction } from '../store/in-transaction.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import type { Row } from '../store/write/rows.ts'
import { makePerson } from './accounts.ts'
import type { Assertion } from './assertion.ts'
import { settable } from './fields.ts'
import { aboutLink, linkOf, linkOfPerson, makeUpstreamLink } from './links.ts'
import { refuseTooMany } from './newcomers.ts'
import { UpstreamRefusal } from './refusal.ts'
import { returning } from './returning.ts'
import { ownedAmong } from './owned.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { actorOf, sourceOf, writeTold } from './told.ts'
import { endUnproved, isMadeHere } from './unproved.ts'
import { type ReadUpstream, readUpstream } from './upstream.ts'
import { mayLinkByAddress, provisionedAs, speaksFor } from './whose-address.ts'

export type PersonOutcome =
  | { outcome: 'known'; user_uuid: string }
  /** The account with the address is not the organisation's alone: its person proves it first. */
  | { outcome: 'prove'; user_uuid: string; email: string }
  /** The address is outside the domains: a mailed code comes first, whether there is an account or not. */
  | { outcome: 'guest'; email: string }
  | { outcome: 'refused'; reason: RefusedReason }

export type RefusedReason =
  /** Nobody invited or provisioned them. */
  | 'unknown_person'
  | 'no_address'
  | 'outside_domains'
  /** The person has another subject at this upstream. */
  | 'conflict'
  | 'disabled'

export interface SignInThere {
  now: number
  from: Omit<Origin, 'actor'>
  /** Whether codes can be mailed. */
  mails: boolean
  /** The address whose mailed code was typed for this very assertion. */
  mailbox?: string | undefined
  /** Ties what a directory has of somebody who was linked just now. */
  arrived: (
    trx: Kysely<Schema>,
    who: { organisation_uuid: string; user_uuid: string; subject: string },
    now: number,
  ) => Promise<AuditEvent[]>
}

/**
 * Yields whose account it is, and writes what the upstream told: link, fields, profiles by groups. Throws `inactive`
 * where the upstream counts no more. Concurrency: first sign-ins through one upstream come one after the other, so that
 * two at once make one account.
 */
export async function personOf(
  store: Store,
  assertion: Assertion,
  coming: SignInThere,
): Promise<PersonOutcome> {
  const known = await returning(store, assertion, coming.now)
  if (known !== undefined) return { outcome: 'known', user_uuid: known }
  return await store.db.transaction().execute(async (trx) => {
    const { outcome, events } = await personWithin(trx, assertion, coming)
    await recordAll(store, events, trx)
    return outcome
  })
}

/** `personOf` in a transaction, without the short way for people who come again. Yields what is to be recorded, too. */
export async function personWithin(
  trx: Kysely<Schema>,
  assertion: Assertion,
  coming: SignInThere,
): Promise<{ outcome: PersonOutcome; events: AuditEvent[] }> {
  const upstream = await holdUpstream(trx, assertion)
  const found = await find(trx, upstream, assertion, coming)
  const events = [...found.events]
  if (found.outcome.outcome === 'known') {
    const who = { user_uuid: found.outcome.user_uuid, now: coming.now }
    events.push(...(await writeTold(trx, upstream, assertion, who)))
    if (found.isNewLink === true)
      events.push(...(await waitedFor(trx, upstream, assertion, { ...who, coming })))
  }
  return { outcome: found.outcome, events: events.map((one) => ({ ...coming.from, ...one })) }
}

/** What a directory of the organisation has of somebody who was linked just now. */
async function waitedFor(
  trx: Kysely<Schema>,
  { organisation_uuid }: ReadUpstream,
  { subject }: Assertion,
  { user_uuid, coming }: { user_uuid: string; coming: SignInThere },
): Promise<AuditEvent[]> {
  if (organisation_uuid === null) return []
  return await coming.arrived(trx, { organisation_uuid, user_uuid, subject }, coming.now)
}

/** Waits for other changes, and yields the upstream as it is now. Throws `inactive` where it counts no more. */
export async function holdUpstream(
  trx: Kysely<Schema>,
  { upstream_uuid }: Pick<Assertion, 'upstream_uuid'>,
): Promise<ReadUpstream> {
  await lockAdministration(trx)
  const row = (await upstreamsNow(inTransaction(trx))).byUuid.get(upstream_uuid)
  if (row?.counts === true) return readUpstream(row)
  throw new UpstreamRefusal('inactive', 'The upstream, or its organisation, is disabled.')
}

interface Found {
  outcome: PersonOutcome
  isNewLink?: boolean
  events: readonly AuditEvent[]
}

async function find(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: Assertion,
  coming: SignInThere,
): Promise<Found> {
  const link = await linkOf(trx, assertion)
  if (link !== undefined) return await active(trx, upstream, link.user_uuid, coming)
  const provisioned = await provisionedAs(trx, upstream, assertion.subject)
  if (provisioned !== undefined)
    return await provisionedAccount(trx, upstream, assertion, { user_uuid: provisioned, ...coming })
  const { email } = settable(assertion.fields)
  if (email === undefined) return refused('no_address')
  const isGuest = !(await speaksFor(trx, upstream, email))
  if (isGuest && (upstream.guests !== 1 || !coming.mails)) return refused('outside_domains')
  if (isGuest && coming.mailbox !== email) {
    await refuseTooMany(trx, upstream, coming.now)
    return { outcome: { outcome: 'guest', email }, events: [] }
  }
  const user = await rowOf(trx, 'users', { email_key: emailKey(email) })
  if (user === undefined) return await newcomer(trx, upstream, assertion, { email, isGuest, ...coming })
  return await withAccount(trx, upstream, assertion, { user, isGuest, ...coming })
}

const refused = (reason: RefusedReason, events: readonly AuditEvent[] = []): Found => ({
  outcome: { outcome: 'refused', reason },
  events,
})

async function active(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  user_uuid: string,
  { now }: SignInThere,
): Promise<Found> {
  const user = await rowOf(trx, 'users', { uuid: user_uuid })
  if (user?.active === 1 || (user?.deletion_at ?? 0) > now)
    return { outcome: { outcome: 'known', user_uuid }, events: [] }
  const detail = { reason: 'disabled' }
  return refused('disabled', [{ kind: 'link.refused', ...refusedOf(upstream, user_uuid, now), detail }])
}

const refusedOf = (upstream: ReadUpstream, user_uuid: string, now: number) => ({
  at: now,
  ...actorOf(upstream),
  ...aboutLink(upstream, user_uuid),
})

/** The person is somebody else at this upstream. */
const conflictOf = (upstream: ReadUpstream, user_uuid: string, now: number): Found =>
  refused('conflict', [{ kind: 'link.conflict', ...refusedOf(upstream, user_uuid, now) }])

interface LinkingPerson extends SignInThere {
  user_uuid: string
}

/** Links somebody, unless they are somebody else at this upstream. */
async function linked(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: Assertion,
  { user_uuid, ...coming }: LinkingPerson,
): Promise<Found> {
  const { now } = coming
  if ((await linkOfPerson(trx, upstream.uuid, user_uuid)) !== undefined)
    return conflictOf(upstream, user_uuid, now)
  const before = await active(trx, upstream, user_uuid, coming)
  if (before.outcome.outcome !== 'known') return before
  const by = actorOf(upstream)
  const events = await makeUpstreamLink(trx, upstream, assertion, { user_uuid, byHand: false, now, by })
  return { outcome: before.outcome, isNewLink: true, events }
}

/** The account that has the address: the organisation's own is linked, everybody else proves theirs first. */
async function withAccount(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: Assertion,
  { user, isGuest, ...coming }: SignInThere & { user: Row<'users'>; isGuest: boolean },
): Promise<Found> {
  const { uuid: user_uuid, email } = user
  if ((await linkOfPerson(trx, upstream.uuid, user_uuid)) !== undefined)
    return conflictOf(upstream, user_uuid, coming.now)
  // The mailbox is enough to reset a password, but for the second factor: a guest proves the account as for that.
  if (isGuest || !(await mayLinkByAddress(trx, upstream, user)))
    return { outcome: { outcome: 'prove', user_uuid, email }, events: [] }
  return await linkedAsProved(trx, upstream, assertion, { user_uuid, ...coming })
}

/** The person of a resource: linked while the organisation owns the account, and otherwise they prove it first. */
async function provisionedAccount(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: Assertion,
  linking: LinkingPerson,
): Promise<Found> {
  const { user_uuid } = linking
  const { organisation_uuid } = upstream
  if (organisation_uuid !== null && (await ownedAmong(trx, organisation_uuid, [user_uuid])).has(user_uuid))
    return await linkedAsProved(trx, upstream, assertion, linking)
  // Only what the upstream itself told is shown of them.
  const { email = '' } = settable(assertion.fields)
  return { outcome: { outcome: 'prove', user_uuid, email }, events: [] }
}

/** Links an account that was there before; none of a person who gets in when the upstream does not work. */
async function linkedAsProved(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: Assertion,
  linking: LinkingPerson,
): Promise<Found> {
  const exempt = await breakGlassOf(trx, upstream.organisation_uuid)
  if (exempt.has(linking.user_uuid)) return conflictOf(upstream, linking.user_uuid, linking.now)
  const found = await linked(trx, upstream, assertion, linking)
  const user = await rowOf(trx, 'users', { uuid: linking.user_uuid })
  if (
    found.outcome.outcome === 'known' &&
    user?.limited_reach === 1 &&
    !(await isMadeHere(trx, upstream, user))
  ) {
    const waited = await endUnproved(trx, upstream, user, linking.now)
    return { ...found, events: [...found.events, ...waited] }
  }
  return found
}

/** Makes the account of somebody who is new, where the upstream may. */
async function newcomer(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: Assertion,
  { email, isGuest, ...coming }: SignInThere & { email: string; isGuest: boolean },
): Promise<Found> {
  const { now } = coming
  await refuseTooMany(trx, upstream, now)
  // Somebody gave the address up a few days ago, and may take it back.
  if (upstream.provision !== 'create' || (await isTaken(trx, email, { now })))
    return refused('unknown_person')
  const user_uuid = await makePerson(
    trx,
    { email, isConfirmed: isGuest, fields: assertion.fields, source: sourceOf(upstream) },
    now,
  )
  const made: AuditEvent = {
    at: now,
    kind: 'person.provisioned',
    ...actorOf(upstream),
    target: { kind: 'user', id: user_uuid },
    user_uuid,
    ...(upstream.organisation_uuid !== null && { organisation_uuid: upstream.organisation_uuid }),
  }
  const found = await linked(trx, upstream, assertion, { user_uuid, ...coming })
  return { ...found, events: [made, ...found.events] }
}
