import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Recording } from '../audit/append.ts'
import { prepared, preparedRow, slotRow, type Steps } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { newSecret } from '../protocol/identifier.ts'
import { enrolled, type FirstCodes, holdPerson, recordEnrolment } from './enrolment.ts'
import type { Proving } from './second-factor.ts'
import { maySignIn } from './usable.ts'
import { type User, userColumns } from './users.ts'

/** Credentials of one person. */
export const mostCredentials = 10
/** A passkey or security key (WebAuthn Level 3 §4, credential record). */
export interface Credential {
  id: string
  user_uuid: string
  kind: 'passkey' | 'security_key'
  name: string
  credentialId: string
  publicKey: string
  signCount: number
  /** A copy may be on other devices of the person, so the counter says nothing. Undefined: the first use tells. */
  backupEligible: boolean | undefined
  backupState: boolean
  transports: readonly string[]
  rpId: string
  suspended: boolean
  reach: string | null
}

export interface OwnedCredential extends Credential {
  /** `user_handle`: what the authenticator names them by. */
  owner: User & { user_handle: string | null }
}

/** The credential that an authenticator names, whosever it is. */
export async function findCredential(
  { db }: Pick<Store, 'db'>,
  credentialId: string,
): Promise<OwnedCredential | undefined> {
  const row = await credentialRows(db).where('credential_id', '=', credentialId).executeTakeFirst()
  if (row === undefined) return undefined
  const owner = await db
    .selectFrom('users')
    .select([...userColumns, 'user_handle'])
    .where('uuid', '=', row.user_uuid)
    .executeTakeFirst()
  if (owner === undefined) return undefined
  return { ...asCredential(row), owner }
}

/** The passkeys and security keys of a person, the oldest first. */
export async function credentialsOf({ db }: Pick<Store, 'db'>, user_uuid: string): Promise<Credential[]> {
  const rows = await credentialRows(db).where('user_uuid', '=', user_uuid).orderBy('id').execute()
  return rows.map(asCredential)
}

/**
 * Whether a person has a confirmed factor that is asked for whatever they do: none of another RP ID, and none that was set
 * up under an organisation's proof, unless all that they hold is there.
 */
export async function hasFactorFor(
  { db }: Pick<Store, 'db'>,
  user_uuid: string,
  rpId: string | undefined,
): Promise<boolean> {
  const row = await db
    .selectFrom('factors')
    .select('id')
    .where('user_uuid', '=', user_uuid)
    .where('confirmed_at', 'is not', null)
    .where((of) => of.or([of('rp_id', 'is', null), of('rp_id', '=', rpId ?? '')]))
    .where(reachesAll('factors'))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether what a table of a person keeps reaches all that the person holds. */
export const reachesAll = (table: 'factors' | 'recovery_codes') => {
  const [reach, user] = [sql.ref(`${table}.reach`), sql.ref(`${table}.user_uuid`)]
  return sql<boolean>`(${reach} is null or not exists (select 1 from profiles where profiles.user_uuid = ${user}
    and (profiles.organisation_uuid is null or profiles.organisation_uuid <> ${reach})))`
}

/** How many belong to another RP ID than this one, and so count as none. */
export async function countOfOtherRpId({ db }: Pick<Store, 'db'>, rpId: string): Promise<number> {
  const { count } = await credentialRows(db)
    .clearSelect()
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('rp_id', '<>', rpId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

const credentialRows = (db: Store['db']) =>
  db.selectFrom('factors').selectAll().where('kind', 'in', ['passkey', 'security_key'])

const asCredential = (row: Selectable<Schema['factors']>): Credential => ({
  id: row.id,
  user_uuid: row.user_uuid,
  kind: row.kind === 'passkey' ? 'passkey' : 'security_key',
  name: row.name,
  credentialId: row.credential_id ?? '',
  publicKey: row.public_key ?? '',
  signCount: row.sign_count ?? 0,
  backupEligible: row.backup_eligible === null ? undefined : row.backup_eligible === 1,
  backupState: row.backup_state === 1,
  transports: JSON.parse(row.transports ?? '[]') as string[],
  rpId: row.rp_id ?? '',
  suspended: row.suspended_at !== null,
  reach: row.reach,
})

/**
 * A person's user handle for passkeys: 32 random bytes, made at the first (WebAuthn Level 3 §14.6.1).
 * Concurrency: of parallel calls one makes it.
 */
export async function userHandleOf(
  { db }: Pick<Store, 'db'>,
  user_uuid: string,
): Promise<string | undefined> {
  await db
    .updateTable('users')
    .set({ user_handle: newSecret() })
    .where('uuid', '=', user_uuid)
    .where('user_handle', 'is', null)
    .execute()
  const row = await db
    .selectFrom('users')
    .select('user_handle')
    .where('uuid', '=', user_uuid)
    .executeTakeFirst()
  return row?.user_handle ?? undefined
}

/** Gives somebody who has no passkey yet the handle that their first one was made with. */
export async function giveHandle(trx: Kysely<Schema>, user_uuid: string, user_handle: string): Promise<void> {
  await trx.updateTable('users').set({ user_handle }).where('uuid', '=', user_uuid).execute()
}

/** A credential that was verified, to be kept. */
export interface NewCredential extends Omit<Credential, 'id' | 'suspended' | 'user_uuid'> {
  id: string
  aaguid: string
}

/**
 * Adds a credential to a person, and keeps the recovery codes that come with a first factor.
 * Concurrency: changes of one person's factors wait for each other, so no more than ten are ever there. False, and
 * nothing happens, when it would be one more, somebody has it, or a first factor is no longer the first: see
 * `confirmTotp`.
 */
export function* keepCredential(
  store: Recording,
  made: NewCredential,
  { user_uuid, now, by, first }: Proving & { first: FirstCodes | undefined },
): Steps<boolean> {
  const person = yield* holdPerson({ user_uuid })
  if (person === undefined || (person.second_factor === 0) !== (first !== undefined)) return false
  if ((yield* selectIds({ user_uuid })).length >= mostCredentials) return false
  if ((yield* insert(rowOf(made, user_uuid, now))) === undefined) return false
  yield* enrolled({ user_uuid })
  const { id, kind, name, reach } = made
  yield* recordEnrolment(store, { id, kind, name, reach, first }, { user_uuid, now, by })
  return true
}

const selectIds = prepared<{ user_uuid: string }, { id: string }>((db, slot) =>
  db
    .selectFrom('factors')
    .select('id')
    .where('user_uuid', '=', slot('user_uuid'))
    .where('credential_id', 'is not', null),
)

const columns = [
  'id',
  'user_uuid',
  'kind',
  'name',
  'created_at',
  'confirmed_at',
  'last_used_at',
  'credential_id',
  'public_key',
  'sign_count',
  'backup_eligible',
  'backup_state',
  'transports',
  'aaguid',
  'rp_id',
  'reach',
] as const

type NewRow = Pick<Insertable<Schema['factors']>, (typeof columns)[number]>

const insert = preparedRow<NewRow, { id: string }>((db, slot) =>
  db
    .insertInto('factors')
    .values(slotRow(columns, slot))
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id'),
)

const rowOf = (made: NewCredential, user_uuid: string, now: number): NewRow => ({
  id: made.id,
  user_uuid,
  kind: made.kind,
  name: made.name,
  created_at: now,
  confirmed_at: now,
  last_used_at: now,
  credential_id: made.credentialId,
  public_key: made.publicKey,
  sign_count: made.signCount,
  backup_eligible: made.backupEligible ? 1 : 0,
  backup_state: made.backupState ? 1 : 0,
  transports: JSON.stringify(made.transports),
  aaguid: made.aaguid,
  rp_id: made.rpId,
  reach: made.reach,
})

/** A use that was verified. */
export interface CredentialUse {
  id: string
  user_uuid: string
  signCount: number
  backupEligible: boolean
  backupState: boolean
  now: number
}

type Flags = Record<'backupEligible' | 'backupState', 0 | 1>
type NotedUse = Omit<CredentialUse, keyof Flags> & Flags
const noteUse = preparedRow<NotedUse, { id: string }>((db, slot) =>
  db
    .updateTable('factors')
    .set({
      sign_count: slot('signCount'),
      backup_eligible: slot('backupEligible'),
      backup_state: slot('backupState'),
      last_used_at: slot('now'),
      failures: 0,
    })
    .where('id', '=', slot('id'))
    .where('user_uuid', '=', slot('user_uuid'))
    .where('suspended_at', 'is', null)
    .where((row) =>
      row.or([row('backup_eligible', 'is', null), row('backup_eligible', '=', slot('backupEligible'))]),
    )
    .where((row) =>
      row.or([
        sql<boolean>`cast(${slot('backupEligible')} as bigint) = 1`,
        row('sign_count', '<', slot('signCount')),
        // An authenticator without a counter says 0 each time.
        row('sign_count', '=', sql<number>`-cast(${slot('signCount')} as bigint)`),
      ]),
    )
    .returning('id'),
)

/**
 * Notes a use, as part of the verb that it proves somebody for. False: the person was disabled, or it was removed or
 * suspended meanwhile, or its counter did not grow. Concurrency: one conditional statement, so of two with the same
 * counter one counts.
 */
export function* useCredential({ backupEligible, backupState, ...use }: CredentialUse): Steps<boolean> {
  if ((yield* holdPersonOf({ user_uuid: use.user_uuid })) === undefined) return false
  const flags: Flags = { backupEligible: backupEligible ? 1 : 0, backupState: backupState ? 1 : 0 }
  return (yield* noteUse({ ...use, ...flags })) !== undefined
}

const holdPersonOf = preparedRow<{ user_uuid: string }, { uuid: string }>((db, slot) =>
  db.selectFrom('users').select('uuid').where('uuid', '=', slot('user_uuid')).where(maySignIn).forShare(),
)
