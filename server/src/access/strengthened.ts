/** Counts the people that stricter policies stop: at the next sign-in, or at the next refresh of a token. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { listOf } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'
import { installationPeople } from '../store/break-glass.ts'
import type { Authentication, Level } from '../protocol/authentication.ts'
import { type PolicySubject, refusedBy } from '../protocol/policy.ts'
import { byKey } from './by-key.ts'
import { type ForcedPlace, forcedOut, isNewlyForced } from './forced-out.ts'
import {
  demandsOf,
  demanding,
  installationPolicyOf,
  type Policies,
  type RisenPlaces,
  risenPlaces,
} from './policies.ts'

/** How many people are stopped, of those who are there now. */
export interface Strengthened {
  /** People who must set up a second factor, or one that resists phishing, to sign in. Grace may be left. */
  enrol: { people: number; organisations: number }
  /** Applications with refresh tokens that are below the level by then, and the people whose they are. Null: too many to look at. */
  refresh: { clients: number; people: number } | null
  /** People who could not act: their organisation's upstream is demanded, and has not let them in lately. */
  sign_in?: { people: number; never: number; last_used_at: string | null }
}

interface Changed {
  before: Policies
  after: Policies
}

/** Counts of people whom changed policies stop; undefined: none. Nothing is asked where no policy becomes stricter. */
export async function strengthened(
  trx: Kysely<Schema>,
  changed: Changed,
  now: number,
  /** More sign-ins of applications are not looked at one by one. */
  mostFamilies = Infinity,
): Promise<Strengthened | undefined> {
  const { before, after } = changed
  const risen = risenPlaces(before, after)
  const enrol = await enrolling(trx, changed, risen, now)
  const refresh = await refused(trx, changed, { risen, most: mostFamilies }, now)
  const forced = await forcedOut(trx, forcedPlaces(before, after), exemptIn(after), now)
  if (enrol.people + (refresh?.people ?? 1) === 0 && forced === undefined) return undefined
  const last = forced?.last_used_at ?? null
  const last_used_at = last === null ? null : new Date(last).toISOString()
  return { enrol, refresh, ...(forced && { sign_in: { ...forced, last_used_at } }) }
}

/** The places where a sign-in by the upstream is demanded that was not before. */
function forcedPlaces(before: Policies, after: Policies): ForcedPlace[] {
  const roles = byKey(before.roles, ({ code }) => code)
  const organisations = byKey(before.organisations, ({ uuid }) => uuid)
  return [
    ...(isNewlyForced(installationPolicyOf(before), installationPolicyOf(after)) ? [{}] : []),
    ...after.roles
      .filter(({ code, policy }) => isNewlyForced(roles.get(code)?.policy ?? null, policy))
      .map(({ code }) => ({ role_code: code })),
    ...after.organisations
      .filter(({ uuid, policy }) => isNewlyForced(organisations.get(uuid)?.policy ?? null, policy))
      .map(({ uuid }) => ({ organisation_uuid: uuid })),
  ]
}

function exemptIn({ installation, organisations }: Policies): Set<string> {
  return new Set([
    ...installationPeople(installation),
    ...organisations.flatMap((one) => JSON.parse(one.break_glass ?? '[]') as string[]),
  ])
}

/** The profiles that are looked at; undefined: none. No other place demands more than before. */
function areAt(
  trx: Kysely<Schema>,
  { everywhere, roles, organisations }: RisenPlaces,
  clients: readonly string[] = [],
): RawBuilder<boolean> | undefined {
  const among = (column: string, values: readonly string[]) =>
    values.length === 0 ? [] : [sql`${sql.ref(column)} in (${listOf(trx, values)})`]
  const all = [
    ...(everywhere ? [sql`1 = 1`] : []),
    ...among('profiles.role_code', roles),
    ...among('profiles.organisation_uuid', organisations),
    ...among('token_families.client_id', clients),
  ]
  return all.length === 0 ? undefined : sql<boolean>`(${sql.join(all, sql` or `)})`
}

async function enrolling(
  trx: Kysely<Schema>,
  { before, after }: Changed,
  risen: RisenPlaces,
  now: number,
): Promise<Strengthened['enrol']> {
  const looked = areAt(trx, risen)
  if (looked === undefined) return { people: 0, organisations: 0 }
  const [had, has] = [before, after].map((policies) => (level: Level) => demanding(trx, policies, level))
  if (had === undefined || has === undefined) throw new Error('Two policies are two.')
  const resists = sql`exists (select 1 from factors where factors.user_uuid = users.uuid
    and factors.kind <> 'totp' and factors.confirmed_at is not null)`
  const { people, organisations } = await held(trx, now)
    .where(looked)
    .where(
      sql<boolean>`(${has('2')} and not ${has('phr')} and not ${had('2')} and users.second_factor = 0
        or ${has('phr')} and not ${had('phr')} and not ${resists})`,
    )
    .select(({ fn }) => [
      fn.count<number | string>('profiles.user_uuid').distinct().as('people'),
      fn.count<number | string>('profiles.organisation_uuid').distinct().as('organisations'),
    ])
    .executeTakeFirstOrThrow()
  return { people: Number(people), organisations: Number(organisations) }
}

/** Rows read at once. */
const page = 2000

async function refused(
  trx: Kysely<Schema>,
  { before, after }: Changed,
  { risen, most }: { risen: RisenPlaces; most: number },
  now: number,
): Promise<Strengthened['refresh']> {
  const people = new Set<string>()
  const clients = new Set<string>()
  const looked = areAt(trx, risen, risen.clients)
  if (looked === undefined) return { clients: 0, people: 0 }
  const [had, has] = [demandsOf(before), demandsOf(after)]
  let last = ''
  for (let count = 0; ; count += page) {
    if (count >= most) return null
    const rows = await families(trx, now)
      .where(looked)
      .where('token_families.id', '>', last)
      .select(['token_families.id', 'token_families.client_id', 'token_families.user_uuid'])
      .select(['auth_time', 'acr', 'amr', 'proofs', 'profiles.role_code', 'profiles.organisation_uuid'])
      .select(['users.second_factor', 'users.enrolment_required', 'users.grace_began_at'])
      .orderBy('token_families.id')
      .limit(page)
      .execute()
    for (const row of rows) {
      const asked = askedOf(row)
      if (refusedBy(had(row), asked, now) !== undefined) continue
      if (refusedBy(has(row), asked, now) === undefined) continue
      people.add(row.user_uuid)
      clients.add(row.client_id)
    }
    last = rows.at(-1)?.id ?? ''
    if (rows.length < page) return { clients: clients.size, people: people.size }
  }
}

interface FamilyRow extends Authentication {
  second_factor: 0 | 1
  enrolment_required: 0 | 1
  grace_began_at: number | null
}

const askedOf = (row: FamilyRow): PolicySubject => ({ user: row, proven: row })

/** The profiles that people can act under. */
const held = (trx: Kysely<Schema>, now: number) =>
  trx
    .selectFrom('profiles')
    .innerJoin('users', 'users.uuid', 'profiles.user_uuid')
    .where('users.active', '=', 1)
    .where('profiles.active', '=', 1)
    .where(({ or, eb }) => or([eb('profiles.expires_at', 'is', null), eb('profiles.expires_at', '>', now)]))

const families = (trx: Kysely<Schema>, now: number) =>
  held(trx, now)
    .innerJoin('token_families', 'token_families.profile_uuid', 'profiles.uuid')
    .where('token_families.revoked_at', 'is', null)
    .where('token_families.idle_expires_at', '>', now)
    .where('token_families.expires_at', '>', now)
