/** Counts the people that stricter policies stop: at the next sign-in, or at the next refresh of a token. */
import type { Kysely } from 'kysely'
import { byKey } from '../access/by-key.ts'
import { type ForcedPlace, forcedOut, isNewlyForced } from '../access/forced-out.ts'
import type { Schema } from '../database/schema.ts'
import { installationPeople } from '../store/break-glass.ts'
import type { Authentication } from '../protocol/authentication.ts'
import { type Level, meets } from '../protocol/authentication.ts'
import { type PolicySubject, type Demand, policyOf, refusedBy, strictest } from '../protocol/policy.ts'

/** How many people are stopped, of those who are there now. */
export interface Strengthened {
  /** People who must set up a second factor, or one that resists phishing, to sign in. Grace may be left. */
  enrol: { people: number; organisations: number }
  /** Applications with refresh tokens that are below the level by then, and the people whose they are. */
  refresh: { clients: number; people: number }
  /** People who could not act: their organisation's upstream is demanded, and has not let them in lately. */
  sign_in?: { people: number; never: number; last_used_at: string | null }
}

/** The policies, by the place that sets them. */
export interface Policies {
  installation: readonly { name: string; kept: string }[]
  roles: readonly { code: string; policy: string | null }[]
  organisations: readonly { uuid: string; policy: string | null; break_glass?: string | undefined }[]
  clients: readonly { client_id: string; policy: string | null }[]
}

interface DeclaredPlace {
  role_code: string
  organisation_uuid: string | null
  client_id?: string
}

/** What these policies demand at a place. */
function demandsOf(policies: Policies): (place: DeclaredPlace) => Demand {
  const { roles, organisations, clients } = policies
  const all = new Map<string, string | null>([
    ...roles.map((one) => [`role ${one.code}`, one.policy] as const),
    ...organisations.map((one) => [`organisation ${one.uuid}`, one.policy] as const),
    ...clients.map((one) => [`client ${one.client_id}`, one.policy] as const),
  ])
  const own = policyOf(installationPolicyOf(policies))
  const of = (key: string) => policyOf(all.get(key) ?? null) ?? {}
  return (place) =>
    strictest([
      own ?? {},
      of(`role ${place.role_code}`),
      of(`organisation ${place.organisation_uuid}`),
      of(`client ${place.client_id}`),
    ])
}

/** What it means that policies become others; undefined: nobody is stopped. Asks nothing where none changes. */
export async function strengthened(
  trx: Kysely<Schema>,
  before: Policies,
  after: Policies,
  now: number,
): Promise<Strengthened | undefined> {
  if (textOf(before) === textOf(after)) return undefined
  const had = demandsOf(before)
  const has = demandsOf(after)
  const enrol = await enrolling(trx, { had, has }, now)
  const refresh = await refused(trx, { had, has }, now)
  const forced = await forcedOut(trx, forcedPlaces(before, after), exemptIn(after), now)
  if (enrol.people + refresh.people === 0 && forced === undefined) return undefined
  const last = forced?.last_used_at ?? null
  const last_used_at = last === null ? null : new Date(last).toISOString()
  return { enrol, refresh, ...(forced && { sign_in: { ...forced, last_used_at } }) }
}

const installationPolicyOf = ({ installation }: Policies): string | null =>
  installation.find(({ name }) => name === 'policy')?.kept ?? null

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

const textOf = ({ installation, roles, organisations, clients }: Policies) =>
  JSON.stringify([
    installation.map(({ name, kept }) => [name, kept]),
    ...[roles, organisations, clients].map((rows) => rows.flatMap((row) => row.policy ?? [])),
  ])

interface Demands {
  had: (place: DeclaredPlace) => Demand
  has: (place: DeclaredPlace) => Demand
}

/** The level that is wanted at a place from then on, where it is higher. */
function risen({ had, has }: Demands, place: DeclaredPlace): Level | undefined {
  const { level } = has(place)
  return meets(had(place).level, level) ? undefined : level
}

async function enrolling(trx: Kysely<Schema>, demands: Demands, now: number): Promise<Strengthened['enrol']> {
  const people = new Set<string>()
  const organisations = new Set<string>()
  for (const place of await held(trx, now)
    .select(['profiles.role_code', 'profiles.organisation_uuid'])
    .distinct()
    .execute()) {
    const level = risen(demands, place)
    if (level === undefined) continue
    const rows = await at(held(trx, now), place)
      .$if(level === '2', (query) => query.where('users.second_factor', '=', 0))
      .$if(level === 'phr', (query) =>
        query.where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('factors')
                .select('factors.id')
                .whereRef('factors.user_uuid', '=', 'users.uuid')
                .where('factors.kind', '!=', 'totp')
                .where('factors.confirmed_at', 'is not', null),
            ),
          ),
        ),
      )
      .select('profiles.user_uuid')
      .execute()
    for (const row of rows) people.add(row.user_uuid)
    if (rows.length > 0 && place.organisation_uuid !== null) organisations.add(place.organisation_uuid)
  }
  return { people: people.size, organisations: organisations.size }
}

async function refused(trx: Kysely<Schema>, demands: Demands, now: number): Promise<Strengthened['refresh']> {
  const people = new Set<string>()
  const clients = new Set<string>()
  for (const place of await families(trx, now)
    .select(['token_families.client_id', 'profiles.role_code', 'profiles.organisation_uuid'])
    .distinct()
    .execute()) {
    if (risen(demands, place) === undefined) continue
    const rows = await at(families(trx, now), place)
      .where('token_families.client_id', '=', place.client_id)
      .select(['token_families.user_uuid', 'auth_time', 'acr', 'amr', 'proofs'])
      .select(['users.second_factor', 'users.enrolment_required', 'users.grace_began_at'])
      .execute()
    for (const row of rows) {
      const asked = askedOf(row)
      if (refusedBy(demands.had(place), asked, now) !== undefined) continue
      if (refusedBy(demands.has(place), asked, now) === undefined) continue
      people.add(row.user_uuid)
      clients.add(place.client_id)
    }
  }
  return { clients: clients.size, people: people.size }
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

function at<Q extends Narrowed<Q>>(query: Q, { role_code, organisation_uuid }: DeclaredPlace): Q {
  const atRole = query.where('profiles.role_code', '=', role_code)
  return atRole.where(
    'profiles.organisation_uuid',
    organisation_uuid === null ? 'is' : '=',
    organisation_uuid,
  )
}

/** A query that has `profiles`. */
interface Narrowed<Q> {
  where(column: 'profiles.role_code' | 'profiles.organisation_uuid', is: '=' | 'is', value: string | null): Q
}
