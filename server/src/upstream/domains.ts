/** Which organisation has a domain: by its record, or as the installation gave it (decisions 17). */
import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import { updateRows } from '../database/many-rows.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { DomainRow } from '../database/schema-upstream.ts'
import type { Store } from '../database/store.ts'
import { write } from '../store/write/write.ts'
import { recordsOf } from './domain-records.ts'

/** Whether the record was there, or has to be: a claim that was never proved misses none. */
const isMissed = ({ given, holds, proved_at }: DomainRow) =>
  given === 0 && (holds === 1 || proved_at !== null)

const day = 24 * 3_600_000
/** How long a record may be gone before the domain lapses, ms. */
const patience = 7 * day

/** A claim, with whether its organisation is active. */
export type DomainClaim = DomainRow & { organisation_active: number }

type Notes = Pick<DomainRow, 'uuid' | 'checked_at' | 'missing_since' | 'proved_at'>
type Why = 'proved' | 'given' | 'moved' | 'lapsed' | 'organisation_disabled'

export interface Settled {
  /** Claims whose organisation gets the domain or loses it. */
  turns: { claim: DomainClaim; holds: 0 | 1; why: Why }[]
  notes: Notes[]
}

/**
 * The holder of the domain from now on. The installation alone moves what it gave. Otherwise the holder keeps it
 * while its record is there, and for seven days after, unless another's record is there: that one gets it at once.
 */
function settledDomain(claims: readonly DomainClaim[], texts: ReadonlySet<string>, now: number): Settled {
  const isThere = (one: DomainClaim) => one.organisation_active === 1 && texts.has(one.token)
  const holder = claims.find(({ holds }) => holds === 1)
  const given = claims.filter((one) => one.given === 1)
  const proved = claims.filter(isThere).toSorted((a, b) => a.created_at - b.created_at)
  const waits = (one: DomainClaim) => proved.length === 0 && now - (one.missing_since ?? now) < patience
  const next =
    given.length > 0
      ? given.find((one) => one.organisation_active === 1 && (one === holder || given.length === 1))
      : holder?.organisation_active === 1 && (isThere(holder) || waits(holder))
        ? holder
        : proved[0]
  const lost = (one: DomainClaim): Why =>
    one.organisation_active === 0 ? 'organisation_disabled' : next === undefined ? 'lapsed' : 'moved'
  const got = holder !== undefined ? 'moved' : next?.given === 1 ? 'given' : 'proved'
  return {
    turns:
      next === holder
        ? []
        : [
            ...(holder === undefined ? [] : [{ claim: holder, holds: 0 as const, why: lost(holder) }]),
            ...(next === undefined ? [] : [{ claim: next, holds: 1 as const, why: got as Why }]),
          ],
    notes: claims.map((one) => ({
      uuid: one.uuid,
      checked_at: now,
      proved_at: isThere(one) && one.proved_at === null ? now : one.proved_at,
      missing_since: isMissed(one) && !isThere(one) ? (one.missing_since ?? now) : null,
    })),
  }
}

/** What a look found, for whoever asked for it. `held`: the record is there, and so is that of another organisation. */
export type DomainProof =
  | 'holds'
  | 'no_record'
  | 'alias'
  | 'wildcard'
  | 'held'
  | 'organisation_disabled'
  | 'no_answer'

interface Looking {
  store: Store
  settings: { dnsServers: readonly string[] }
}

/** Looks now at the record of a claim. Undefined: there is no such claim. */
export async function proveDomain(
  service: Looking,
  uuid: string,
  { now, ...by }: Origin & { now: number },
): Promise<DomainProof | undefined> {
  const claim = await service.store.db
    .selectFrom('domains')
    .select('name')
    .where('uuid', '=', uuid)
    .executeTakeFirst()
  if (claim === undefined) return undefined
  const looked = await lookAtDomain(service, claim.name, { now, ...by })
  if (looked === undefined) return 'no_answer'
  const after = (await claimsOf(service.store.db, claim.name)).find((one) => one.uuid === uuid)
  if (after === undefined) return undefined
  if (after.holds === 1) return 'holds'
  if (after.organisation_active === 0) return 'organisation_disabled'
  return looked.texts.has(after.token) ? 'held' : (looked.refused ?? 'no_record')
}

/** The names that nobody has looked at for a day. */
export async function dueDomains({ db }: Store, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('domains')
    .select('name')
    .distinct()
    .where((one) => one.or([one('checked_at', 'is', null), one('checked_at', '<=', now - day)]))
    .execute()
  return rows.map(({ name }) => name)
}

/**
 * Looks at the record of a domain, and gives the domain to whoever has it by that. Undefined: there was no answer, and
 * nothing is changed. Concurrency: one of two looks goes first, and the next decides by what it left.
 */
export async function lookAtDomain(
  { store, settings }: Looking,
  name: string,
  { now, ...by }: Origin & { now: number },
) {
  const before = await claimsOf(store.db, name)
  const tokens = before.map(({ token }) => token)
  const records = await recordsOf(settings.dnsServers, name, tokens)
  if (records === undefined) return undefined
  const { texts } = records
  await store.db.transaction().execute(async (trx) => {
    if (settledDomain(before, texts, now).turns.length > 0) await lockAdministration(trx)
    const { turns, notes } = settledDomain(await claimsOf(trx, name), texts, now)
    await note(trx, notes)
    // One after the other: never are there two who hold it.
    for (const { claim, holds } of turns)
      await write(
        trx,
        { domains: { update: [{ before: claim, set: { holds, updated_at: now } }] } },
        { now, versions: 'overwritten', by: 'others', ends: 'each' },
      )
    await recordAll(store, turns.map(eventOf({ now, ...by })), trx)
  })
  return records
}

const claimsOf = async (db: Kysely<Schema>, name: string): Promise<DomainClaim[]> =>
  await db
    .selectFrom('domains')
    .innerJoin('organisations', 'organisations.uuid', 'domains.organisation_uuid')
    .selectAll('domains')
    .select('organisations.active as organisation_active')
    .where('domains.name', '=', name)
    .orderBy('domains.uuid')
    .execute()

/** No version moves by what a look notes. */
async function note(trx: Kysely<Schema>, notes: readonly Notes[]): Promise<void> {
  const columns = ['checked_at', 'missing_since', 'proved_at']
  const rows = notes.map((one) => ({ ...one }))
  await updateRows(trx, 'domains', { keys: ['uuid'], columns, also: [] }, rows)
}

const eventOf =
  ({ now, ...by }: Origin & { now: number }) =>
  ({ claim, holds, why }: Settled['turns'][number]): AuditEvent => ({
    ...by,
    at: now,
    kind: 'domain.changed',
    target: { kind: 'domain', id: claim.uuid },
    organisation_uuid: claim.organisation_uuid,
    before: { holds: holds === 0 },
    after: { holds: holds === 1 },
    detail: { name: claim.name, reason: why },
  })
