/**
 * What tests need of the database that no request and no command tells or does: states that can't be made from outside,
 * and the proof that nothing was written. Tests outside of the rooms that own tables know no table; these do.
 */
import { allLinked } from './stores.ts'
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { markArchived, removeArchived } from '../../dist/audit/archive.js'
import { heldHead } from '../../dist/audit/head.js'
import { closedMonths, closeMonth } from '../../dist/audit/months.js'
import { type AuditFilter, type AuditRecord, listAudit } from '../../dist/audit/read.js'
import { type AuditEvent, record, recordAll } from '../../dist/audit/record.js'
import { lockAdministration, moveRevision } from '../../dist/database/revision.js'
import { chunksOf } from '../../dist/database/chunks.js'
import { exchanges } from '../../dist/store/exchange-lock.js'
import { writeChange } from '../../dist/store/write/write.js'
import { insertRows } from '../../dist/database/many-rows.js'
import type { Store } from '../../dist/database/store.js'
import type { Schema } from '../../dist/database/schema.js'
import { decrypt } from '../../dist/keys/encryption.js'
import { encryptedUpstream } from '../../dist/keys/upstream-secret.js'
import type { MailKind, NoticeFact } from '../../dist/mail/kinds.js'
import { openMail, type Posted } from '../../dist/mail/mail.js'
import { hashSecret } from '../../dist/protocol/identifier.js'
import type { Policy } from '../../dist/protocol/policy.js'
import { sweep } from '../../dist/store/sweep.js'
import { forgetWeakHashes } from '../../dist/store/weak-hashes.js'
import { trustedDevicesOf } from '../../dist/store/trusted-devices.js'
import { end } from '../../dist/store/ending.js'
import { type LinkPurpose, makeLink, readLink, withdrawLink } from '../../dist/store/links.js'
import { secret } from './process.ts'
import { testSettings } from './settings.ts'
import { upstreamOf } from './upstream-row.ts'
import type { Upstream } from '../../dist/upstream/upstream.js'
import { countWrongCode, replaceRecoveryCodes } from '../../dist/store/factors.js'
import { withStore } from './program.ts'

interface Running {
  databaseUrl: string
}

/** The records of the audit, oldest first. */
export async function auditOf(tessera: Running, filter: AuditFilter): Promise<AuditRecord[]> {
  return (await withStore(tessera, (store) => listAudit(store, filter, { limit: 100_000 }))).toReversed()
}

/** On PostgreSQL: one more is recorded, and nobody can link it to the chain until `work` has ended. */
export async function whileUnlinked(tessera: Running, work: () => Promise<void>): Promise<void> {
  const one: AuditEvent = { at: 1, kind: 'user.changed' }
  await withStore(tessera, (store) =>
    store.db.transaction().execute(async (trx) => {
      // Who links has to hold it.
      await heldHead(trx)
      await withStore(tessera, (other) => recordAll(other, [one]))
      await work()
    }),
  )
}

const administered = [
  'organisations',
  'units',
  'services',
  'permissions',
  'roles',
  'role_permissions',
  'users',
  'members',
  'profiles',
  'clients',
  'client_secrets',
  'webhooks',
  'webhook_secrets',
  'audit_records',
] as const satisfies (keyof Schema)[]

/** All that is administered and recorded: the same before and after what writes nothing. */
export const everythingIn = async (tessera: Running) =>
  await withStore(tessera, (store) => contentsOf(store, administered))

/** And all that a change ends, sends or makes besides, when nothing waits any more. */
export const everythingWritten = async (tessera: Running) =>
  await withStore(tessera, async (store) => {
    const kept = await everythingOf(store)
    const besides = ['invitations', 'links', 'signing_keys', 'words', 'webhook_deliveries'] as const
    const more = ['client_permissions', 'installation', 'repeatable_answers', 'consents', 'imports'] as const
    // Those that are there are sent meanwhile.
    const mails = await store.db.selectFrom('mails').select('id').orderBy('id').execute()
    return { ...kept, ...(await contentsOf(store, [...besides, ...more])), mails }
  })

/** The same of a store that is open, with what ends when something is disabled. */
export async function everythingOf(store: Store) {
  await allLinked(store)
  return await contentsOf(store, [
    ...administered,
    'client_origins',
    'proxied_origins',
    'sessions',
    'token_families',
  ])
}

/** All that a sign-in through an upstream could write, but for a trial, that it was tried, and the metadata that it read. */
export const everythingBesideTrials = async (tessera: Running) =>
  await withStore(tessera, async (store) => {
    const { audit_records: records, ...kept } = await everythingOf(store)
    const of = ['upstreams', 'upstream_links', 'upstream_requests', 'upstream_sessions'] as const
    const besides = ['profile_sources', 'suspensions', 'scim_resources', 'factors', 'installation'] as const
    const more = await contentsOf(store, [...of, ...besides])
    const columns = ['upstream_uuid', 'last_sign_in_at', 'problem', 'failing_since'] as const
    const states = await store.db.selectFrom('upstream_states').select(columns).execute()
    const tried = states.filter((one) => one.last_sign_in_at !== null || one.problem !== null)
    return { ...kept, ...more, tried, records: records?.filter((one) => !one.includes('"upstream.tried"')) }
  })

/** All that could hold a secret that is shown once. */
export async function everythingKept(tessera: Running): Promise<string> {
  const tables = ['repeatable_answers', 'setup_links', ...administered] as const
  return JSON.stringify(await withStore(tessera, (store) => contentsOf(store, tables)))
}

async function contentsOf(
  { db }: Store,
  tables: readonly (keyof Schema)[],
): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {}
  for (const table of tables) {
    const rows: object[] = await db.selectFrom(table).selectAll().execute()
    contents[table] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return contents
}

/** What a declared file says, and who is found where by that; each refers to those before it. */
const declared = [
  'installation',
  'services',
  'permissions',
  'roles',
  'role_permissions',
  'organisations',
  'units',
  'users',
  'profiles',
  'members',
  'clients',
  'client_origins',
  'proxied_origins',
  'client_secrets',
] as const

export const declaredIn = async (store: Store) => await contentsOf(store, declared)

/** Which application is at which origin. */
export const proxiedOriginsIn = async ({ db }: Store) =>
  await db.selectFrom('proxied_origins').selectAll().orderBy('origin').execute()

/** Who is invited. */
export const invitationsIn = async ({ db }: Store) => await db.selectFrom('invitations').selectAll().execute()

/** As if everybody had answered so. */
export const answerInvitations = async ({ db }: Store, state: 'pending' | 'accepted' | 'withdrawn') =>
  await db.updateTable('invitations').set({ state }).execute()

/** Takes away all that a declared file says. */
export async function clearDeclared({ db }: Store): Promise<void> {
  await db.updateTable('units').set({ parent_uuid: null }).execute()
  for (const table of declared.toReversed())
    if (table !== 'installation') await db.deleteFrom(table).execute()
  await db.updateTable('installation').set({ kept: '{}', managed_by: null }).execute()
}

const counted = {
  codes: 'authorization_codes',
  'token families': 'token_families',
  'authorization requests': 'authorization_requests',
  'pushed requests': 'pushed_requests',
  makers: 'makers',
  profiles: 'profiles',
  'refused addresses': 'refused_addresses',
  roles: 'roles',
  sessions: 'sessions',
  'used once': 'client_assertions',
  users: 'users',
  words: 'words',
} as const satisfies Record<string, keyof Schema>

/** How many of these there are. */
export async function countOf(tessera: Running, what: keyof typeof counted): Promise<number> {
  const table = counted[what]
  const contents = await withStore(tessera, (store) => contentsOf(store, [table]))
  return contents[table]?.length ?? 0
}

/** Notes of `allowed` of a client what was removed. */
export async function noteRemoved(store: Store, clientId: string, lists: object): Promise<void> {
  const allowed_removed = JSON.stringify(lists)
  await store.db.updateTable('clients').set({ allowed_removed }).where('client_id', '=', clientId).execute()
}

/** Changes the row of a client alone, and nothing that hangs on it. */
export async function changeClient(
  tessera: Running,
  clientId: string,
  values: Updateable<Schema['clients']>,
): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('clients').set(values).where('client_id', '=', clientId).execute(),
  )
}

/** Changes the row of a user alone, and nothing that hangs on it. */
export async function changeUser(
  tessera: Running,
  email: string,
  values: Updateable<Schema['users']>,
): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('users').set(values).where('email', '=', email).execute(),
  )
}

const switched = {
  user: ['users', 'email'],
  profile: ['profiles', 'uuid'],
  role: ['roles', 'code'],
  organisation: ['organisations', 'uuid'],
  unit: ['units', 'uuid'],
  client: ['clients', 'client_id'],
} as const

/** Switches the row of something off or on alone, and ends nothing that hangs on it: the last line of defence. */
export async function switchAlone(
  tessera: Running,
  [what, key]: readonly [keyof typeof switched, string],
  active: 0 | 1,
): Promise<void> {
  const [table, column] = switched[what]
  await withStore(tessera, ({ db }) =>
    db.updateTable(table).set({ active }).where(db.dynamic.ref(column), '=', key).execute(),
  )
}

/** Everybody, as they rest. */
export async function usersOf(tessera: Running): Promise<Selectable<Schema['users']>[]> {
  return await withStore(tessera, ({ db }) => db.selectFrom('users').selectAll().execute())
}

/** As it rests. */
export async function passwordHashOf(tessera: Running, email: string): Promise<string | undefined> {
  return (await usersOf(tessera)).find((one) => one.email === email)?.password_hash ?? undefined
}

/** Makes a client that no door lets in: with a `client_id` of any characters, else as one that is there. */
export async function copyClient(tessera: Running, clientId: string, copy: string): Promise<void> {
  await withStore(tessera, async ({ db }) => {
    const row = db.selectFrom('clients').selectAll().where('client_id', '=', clientId)
    await db
      .insertInto('clients')
      .values({ ...(await row.executeTakeFirstOrThrow()), client_id: copy })
      .execute()
  })
}

/** The row of a client. */
export const clientRowOf = async ({ db }: Pick<Store, 'db'>, clientId: string) =>
  await db.selectFrom('clients').selectAll().where('client_id', '=', clientId).executeTakeFirstOrThrow()

/** Adds clients that are like another in all but these. */
export async function addClientsLike(
  store: Store,
  clientId: string,
  values: readonly Partial<Selectable<Schema['clients']>>[],
): Promise<void> {
  const row = await clientRowOf(store, clientId)
  await store.db
    .insertInto('clients')
    .values(values.map((one) => ({ ...row, managed_by: null, ...one })))
    .execute()
  await moveRevision(store.db)
}

/** Narrows a client as the API does, in a transaction that stays open until what is asked meanwhile waits for it. */
export async function narrowedWhile<T>(
  { databaseUrl, now }: Running & { now: number },
  [clientId, set]: readonly [string, Partial<Selectable<Schema['clients']>>],
  ask: () => Promise<T>,
): Promise<T> {
  const { asked } = await withStore({ databaseUrl }, ({ db }) =>
    db.transaction().execute(async (trx) => {
      await lockAdministration(trx)
      // As what ends something does before it ends it.
      await exchanges.alone(trx)
      const answer = ask()
      await setTimeout(400)
      const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
      await writeChange(trx, 'clients', await clientRowOf({ db: trx }, clientId), set, how)
      return { asked: answer }
    }),
  )
  return await asked
}

/** Adds people who are like another in all but their profile, of one of these roles in turn. */
export async function addPeopleLike(
  { db }: Store,
  email: string,
  count: number,
  { roles, ...values }: { roles: readonly string[] } & Partial<Selectable<Schema['profiles']>>,
): Promise<void> {
  const one = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()
  const held = db.selectFrom('profiles').selectAll().where('user_uuid', '=', one.uuid)
  const profile = await held.executeTakeFirstOrThrow()
  const uuidOf = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  for (const some of chunksOf(Array.from({ length: count }, (_, index) => index))) {
    const people = some.map((index) => ({ uuid: uuidOf(index), email: `${index}@x.example` }))
    await db
      .insertInto('users')
      .values(people.map((who) => ({ ...one, ...who, email_key: who.email, managed_by: null })))
      .execute()
    const given = people.map(({ uuid }, index) => ({
      uuid,
      user_uuid: uuid,
      role_code: roles[index % roles.length] ?? '',
    }))
    await db
      .insertInto('profiles')
      .values(given.map((what) => ({ ...profile, ...values, ...what })))
      .execute()
  }
  await sql`analyze`.execute(db)
}

/** Works with so much memory for each step of a statement. Undefined: SQLite has no such limit. */
export const withWorkMemory = async <T>(
  { db }: Store,
  memory: string,
  work: (trx: Store['db']) => Promise<T>,
): Promise<T | undefined> =>
  (await sql`show work_mem`.execute(db).catch(() => undefined)) &&
  (await db.transaction().execute(async (trx) => {
    await sql`set local work_mem = ${sql.lit(memory)}`.execute(trx)
    return await work(trx)
  }))

/** Gives a client one more secret, of our choice. */
export async function addSecret(
  tessera: Running,
  clientId: string,
  { text, expiresAt = null }: { text: string; expiresAt?: number | null },
): Promise<void> {
  const row = { id: `of-${clientId}`, client_id: clientId, created_at: 0, expires_at: expiresAt }
  await withStore(tessera, ({ db }) =>
    db
      .insertInto('client_secrets')
      .values({ ...row, secret_hash: hashSecret(text) })
      .execute(),
  )
}

/** The private key behind a published one. */
export async function privateKeyOf(tessera: Running, kid: string): Promise<KeyObject> {
  const row = await withStore(tessera, ({ db }) =>
    db.selectFrom('signing_keys').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow(),
  )
  const under = { purpose: 'tessera signing keys', secrets: [secret] } as const
  return createPrivateKey(decrypt(row.private_key, kid, under) ?? '')
}

/** As somebody gave them at such a time. */
export async function giveConsents(
  tessera: Running,
  ...consents: (Pick<Insertable<Schema['consents']>, 'user_uuid' | 'client_id' | 'scope'> & {
    granted_at?: number
  })[]
): Promise<void> {
  const rows = consents.map((one) => ({ granted_at: 1, ...one }))
  await withStore(tessera, ({ db }) => db.insertInto('consents').values(rows).execute())
}

/** Claims of a client that no version would keep. */
export async function forgeClaims(tessera: Running, clientId: string, claims: object[]): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db
      .updateTable('clients')
      .set({ claims: JSON.stringify(claims) })
      .where('client_id', '=', clientId)
      .execute(),
  )
}

export async function forgetConsents(tessera: Running): Promise<void> {
  await withStore(tessera, ({ db }) => db.deleteFrom('consents').execute())
}

/** What a person gave, and the browsers that are known as theirs. */
export async function consentsAndDevicesOf(tessera: Running, user: string): Promise<object[]> {
  return await withStore(tessera, async ({ db }) => [
    ...(await db.selectFrom('devices').selectAll().where('user_uuid', '=', user).execute()),
    ...(await db.selectFrom('consents').selectAll().where('user_uuid', '=', user).execute()),
  ])
}

/** Removes everybody, and the roles with them where it says so. */
export async function removeEverybody(tessera: Running, more: 'and roles' | '' = ''): Promise<void> {
  const roles = more === '' ? [] : (['role_permissions', 'roles', 'setup_links'] as const)
  await withStore(tessera, async ({ db }) => {
    for (const table of ['members', 'profiles', 'users', ...roles] as const)
      await db.deleteFrom(table).execute()
  })
}

/** Sweeps what has expired by then. */
export async function sweepAt(tessera: Running, at: number): Promise<void> {
  await withStore(tessera, (store) => sweep(store, at))
}

/** Takes away the weak hashes that are over, as the job of each minute does. */
export async function forgetWeakHashesAt(tessera: Running, at: number): Promise<void> {
  await withStore(tessera, (store) => forgetWeakHashes(store, at, () => false))
}

/** The logout notices that wait, each as when it is due. */
export async function logoutNotices(tessera: Running): Promise<{ sid: string; next_at: number }[]> {
  return await withStore(tessera, ({ db }) =>
    db.selectFrom('logout_notices').select(['sid', 'next_at']).execute(),
  )
}

/** All that persons have consented to, the latest first. */
export async function allConsents(tessera: Running) {
  return await withStore(tessera, ({ db }) =>
    db.selectFrom('consents').selectAll().orderBy('granted_at', 'desc').execute(),
  )
}

/** Lets all that applications hold for people have ended by then. */
export async function endFamilies(tessera: Running, at: number): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('token_families').set({ idle_expires_at: at, expires_at: at, known_end: at }).execute(),
  )
}

/** As if the logout notices that wait had been tried so often. */
export async function triedNotices(tessera: Running, attempts: number): Promise<void> {
  await withStore(tessera, ({ db }) => db.updateTable('logout_notices').set({ attempts }).execute())
}

/** What sign-ins are counted by. */
export async function throttleKeys(tessera: Running): Promise<string[]> {
  const rows = await withStore(tessera, ({ db }) => db.selectFrom('throttles').select('key').execute())
  return rows.map(({ key }) => key)
}

export async function renameRoles(tessera: Running, name: string): Promise<void> {
  await withStore(tessera, ({ db }) => db.updateTable('roles').set({ name }).execute())
}

/** As where a restored database has lost everybody who could do something. */
export async function removeProfiles(tessera: Running): Promise<void> {
  await withStore(tessera, ({ db }) => db.deleteFrom('profiles').execute())
}

/** The signing keys as they rest, oldest first. */
export async function signingKeysOf(tessera: Running) {
  return await withStore(tessera, ({ db }) =>
    db.selectFrom('signing_keys').selectAll().orderBy('signs_from').orderBy('kid').execute(),
  )
}

/** The names of the keys of other services that are kept. */
export async function foreignKeysOf(tessera: Running): Promise<string[]> {
  const rows = await withStore(tessera, ({ db }) => db.selectFrom('foreign_keys').select('kid').execute())
  return rows.map(({ kid }) => kid)
}

/** Puts these signing keys in the place of all that there are. */
export async function replaceSigningKeys(
  tessera: Running,
  keys: Insertable<Schema['signing_keys']>[],
): Promise<void> {
  await withStore(tessera, async ({ db }) => {
    await db.deleteFrom('signing_keys').execute()
    if (keys.length > 0) await db.insertInto('signing_keys').values(keys).execute()
  })
}

/** Puts an encrypted private key under an id. */
export async function changePrivateKey(tessera: Running, kid: string, encrypted: string): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('signing_keys').set({ private_key: encrypted }).where('kid', '=', kid).execute(),
  )
}

/** The migrations that were made, by name. */
export async function migrationsOf(tessera: Running): Promise<string[]> {
  return await withStore(tessera, async ({ db }) => {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    return rows.map(({ name }) => name)
  })
}

/** As if another version had made this migration. */
export async function noteMigration(tessera: Running, name: string): Promise<void> {
  await withStore(tessera, ({ db }) =>
    sql`insert into kysely_migration (name, timestamp) values (${name}, 'later')`.execute(db),
  )
}

/** As if another version had made all of them. */
export async function renameMigrations(tessera: Running): Promise<void> {
  await withStore(tessera, ({ db }) => sql`update kysely_migration set name = 'x-' || name`.execute(db))
}

/** Changes the row of a webhook alone. */
export async function changeWebhook(
  tessera: Running,
  uuid: string,
  values: Updateable<Schema['webhooks']>,
): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('webhooks').set(values).where('uuid', '=', uuid).execute(),
  )
}

/** Changes the deliveries of a webhook, as attempts do. */
export async function changeDeliveries(
  tessera: Running,
  webhook: string,
  values: Updateable<Schema['webhook_deliveries']>,
): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('webhook_deliveries').set(values).where('webhook_uuid', '=', webhook).execute(),
  )
}

/** Puts an encrypted secret under an id. */
export async function changeWebhookSecret(tessera: Running, id: string, encrypted: string): Promise<void> {
  await withStore(tessera, ({ db }) =>
    db.updateTable('webhook_secrets').set({ secret: encrypted }).where('id', '=', id).execute(),
  )
}

/** Waits until notices have begun: what was recorded before, of a service that is new, is told to nobody. */
export async function noticesBegun(tessera: Running): Promise<void> {
  const begun = async () =>
    await withStore(tessera, ({ db }) =>
      db.selectFrom('webhook_outbox').select('position').where('name', '=', 'notices').executeTakeFirst(),
    )
  while ((await begun()) === undefined) await setTimeout(20)
}

/** Up to which record of the audit webhooks were sent what they want. */
export async function outboxPosition({ db }: Store): Promise<number> {
  const { position } = await db
    .selectFrom('webhook_outbox')
    .select('position')
    .where('name', '=', 'audit')
    .executeTakeFirstOrThrow()
  return position
}

/** How much is kept of a webhook beside itself. */
export async function keptOfWebhook(tessera: Running, uuid: string): Promise<number> {
  return await withStore(tessera, async ({ db }) => {
    let kept = 0
    for (const table of ['webhook_deliveries', 'webhook_secrets'] as const)
      kept += (await db.selectFrom(table).selectAll().where('webhook_uuid', '=', uuid).execute()).length
    return kept
  })
}

/** Records something that happened. */
export const recordEvent = async (tessera: Running, event: AuditEvent): Promise<void> =>
  await withStore(tessera, (store) => record(store, event))

/** Every record has its place in the chain. */
export const settledAudit = async (tessera: Running): Promise<void> => await withStore(tessera, allLinked)

/** Archives all records of the month of this time and from before, as the command does once that is over. */
export async function archiveUntil(tessera: Running, now: number): Promise<void> {
  await withStore(tessera, async (store) => {
    await allLinked(store)
    const later = now + 40 * 86_400_000
    for (const at of [now, later]) await closeMonth(store, at)
    const [closed] = await closedMonths(store.db)
    if (closed === undefined) throw new Error('No month was closed.')
    await markArchived(store, closed, { now: later, by: {}, file: 'archived' }, async () => undefined)
    await removeArchived(store, () => undefined)
  })
}

/** Records something in a transaction that fails. */
export async function recordInVain(tessera: Running, event: AuditEvent): Promise<void> {
  await withStore(tessera, async (store) => {
    const failing = store.db.transaction().execute(async (trx) => {
      await record(store, event, trx)
      throw new Error('and yet not')
    })
    await failing.catch(() => undefined)
  })
}

/**
 * What is answered to a request that waits while a client is changed by somebody who administers at that moment; asked
 * again with a longer wait until it `isMeant`. Then the client is as it was.
 */
export async function answeredWhile<T>(
  tessera: Running,
  [clientId, values]: readonly [string, Updateable<Schema['clients']>],
  ask: () => Promise<T>,
  isMeant: (answer: T) => boolean,
): Promise<T> {
  return await withStore(tessera, async ({ db }) => {
    const set = async (trx: typeof db, to: Updateable<Schema['clients']>) => {
      await trx.updateTable('clients').set(to).where('client_id', '=', clientId).execute()
      await moveRevision(trx)
    }
    const { active, permissions } = await db
      .selectFrom('clients')
      .select(['active', 'permissions'])
      .where('client_id', '=', clientId)
      .executeTakeFirstOrThrow()
    for (let pause = 200; ; pause *= 2) {
      const { asked } = await db.transaction().execute(async (trx) => {
        await lockAdministration(trx)
        const answer = ask()
        // By then it has looked who asks, and waits for this transaction.
        await setTimeout(pause)
        await set(trx, values)
        return { asked: answer }
      })
      const answer = await asked
      await set(db, { active, permissions })
      if (isMeant(answer) || pause > 2000) return answer
    }
  })
}

/** As a version wrote them that knew no proofs. */
export async function forgetProofs(tessera: Running): Promise<void> {
  await withStore(tessera, async ({ db }) => {
    for (const table of ['sessions', 'authorization_codes', 'token_families'] as const)
      await db.updateTable(table).set({ proofs: '[]' }).execute()
  })
}

/** The secrets of authenticator apps as they are stored. */
export const totpSecretsOf = (tessera: Running): Promise<string[]> =>
  withStore(tessera, async ({ db }) => {
    const rows = await db.selectFrom('factors').select('secret').where('kind', '=', 'totp').execute()
    return rows.map(({ secret: kept }) => kept ?? '')
  })

/** Sets a policy where nothing else is to happen. */
export async function setPolicy(
  tessera: Running,
  at: { role?: string; organisation?: string; client?: string },
  policy: Policy | null,
): Promise<void> {
  const set = { policy: policy === null ? null : JSON.stringify(policy) }
  await withStore(tessera, ({ db }) =>
    db.transaction().execute(async (trx) => {
      if (at.role !== undefined) await trx.updateTable('roles').set(set).where('code', '=', at.role).execute()
      else if (at.organisation !== undefined)
        await trx.updateTable('organisations').set(set).where('code', '=', at.organisation).execute()
      else if (at.client !== undefined)
        await trx.updateTable('clients').set(set).where('client_id', '=', at.client).execute()
      else {
        const kept = set.policy ?? '{}'
        await trx.updateTable('installation').set({ kept }).where('name', '=', 'policy').execute()
      }
      await moveRevision(trx)
    }),
  )
}

/** Says that a declared file manages the policy of the installation, or none. */
export const managePolicy = async (tessera: Running, file: string | null): Promise<void> =>
  withStore(tessera, async ({ db }) => {
    await db.updateTable('installation').set({ managed_by: file }).where('name', '=', 'policy').execute()
  })

/** A browser that a person trusts, and recovery codes with these hashes. */
export async function giveBesideFactors(
  tessera: Running,
  user_uuid: string,
  hashes: readonly string[],
): Promise<void> {
  await withStore(tessera, async (store) => {
    const device = { id_hash: user_uuid, label: 'Firefox on Linux', proved_at: 1, last_used_at: 1 }
    await store.db
      .insertInto('trusted_devices')
      .values({ ...device, user_uuid })
      .execute()
    const codes = hashes.map((hash, index) => ({ number: index + 1, hash }))
    await replaceRecoveryCodes(store, { codes, reach: undefined }, { user_uuid, now: 1, by: {} })
  })
}

/** As after too many wrong codes in a row. */
export async function suspendFactors(tessera: Running, user_uuid: string): Promise<void> {
  await withStore(tessera, (store) => countWrongCode(store, 1, { user_uuid, now: 1, by: {} }, []))
}

/** Puts a mail into the outbox, as the verbs of the product do; false: the recipient has had too many. */
export async function postMail<K extends MailKind>(
  tessera: Running,
  { link, ...posted }: Omit<Posted<K>, 'link'> & { link?: { path: string; purpose: LinkPurpose } },
): Promise<boolean> {
  const mail = openMail(testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl }))
  return await withStore(tessera, ({ db }) =>
    db.transaction().execute(async (trx) => {
      if (mail === undefined) return false
      const { now, expiresAt, to } = posted
      if (link === undefined) return await mail.post(trx, posted)
      const { path, purpose } = link
      const text = await makeLink(trx, { purpose, subject: to.address, expiresAt, now })
      return await mail.post(trx, { ...posted, link: { path, text } })
    }),
  )
}

/** Tells a person of these beyond the limit of notices, one after the other. */
export async function postBeyond(
  tessera: Running,
  { all, ...to }: { address: string; user_uuid: string; all: readonly NoticeFact[]; now: number },
): Promise<void> {
  const mail = openMail(testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl }))
  const { address, user_uuid, now } = to
  const posted = {
    to: { address, name: undefined },
    locale: 'en',
    user_uuid,
    days: 7,
    expiresAt: now + 86_400_000,
  }
  await withStore(tessera, ({ db }) =>
    db.transaction().execute(async (trx) => {
      for (const told of all) {
        const link = {
          purpose: 'notice',
          subject: randomUUID(),
          user_uuid,
          expiresAt: posted.expiresAt,
          now,
        } as const
        const undoes = { event: told.event }
        await mail?.postBeyond(trx, { ...posted, told, undoes, now }, async (data) => ({
          path: '/account/not-me',
          text: await makeLink(trx, { ...link, data }),
        }))
      }
    }),
  )
}

/** Withdraws the link that `postMail` made for this address. */
export const withdrawMailedLink = (tessera: Running, purpose: LinkPurpose, address: string) =>
  withStore(tessera, ({ db }) => withdrawLink(db, purpose, address))

/** The outbox to one recipient, oldest first. */
export const mailsTo = (tessera: Running, recipient: string) =>
  withStore(tessera, ({ db }) =>
    db.selectFrom('mails').selectAll().where('recipient', '=', recipient).orderBy('id').execute(),
  )

/** The browsers that a person trusts. */
export const trustedBy = (tessera: Running, user_uuid: string) =>
  withStore(tessera, (store) => trustedDevicesOf(store, user_uuid))

/** By the end of the address of each picture: whether it is here, or why not; undefined: it was not tried yet. */
export const picturesIn = async (tessera: Running): Promise<Record<string, string | undefined>> =>
  withStore(tessera, async ({ db }) => {
    const rows = await db.selectFrom('pictures').selectAll().execute()
    return Object.fromEntries(
      rows.map((row) => [
        row.address?.split('/').at(-1) ?? `uploaded ${row.id}`,
        row.bytes === null ? (row.problem ?? undefined) : 'here',
      ]),
    )
  })

/** Every secret and hash of a person that is kept in any table, with its column. */
export const secretsOf = (tessera: Running, user_uuid: string): Promise<[column: string, value: string][]> =>
  withStore(tessera, async ({ db }) => {
    const found: [string, string][] = []
    for (const { name, columns } of await db.introspection.getTables()) {
      const own = name === 'users' ? 'uuid' : 'user_uuid'
      // The hashes of the audit are of its records.
      if (name.startsWith('audit') || !columns.some((one) => one.name === own)) continue
      const these = sql`select * from ${sql.table(name)} where ${sql.ref(own)} = ${user_uuid}`
      for (const row of (await these.execute(db)).rows)
        for (const [column, value] of Object.entries(row as object))
          if (
            /hash|secret|handle|public_key|credential_id/.test(column) &&
            typeof value === 'string' &&
            value !== ''
          )
            found.push([`${name}.${column}`, value])
    }
    return found.toSorted(([one], [other]) => (one < other ? -1 : 1))
  })

/** A mail that was given up. */
export async function addDeadMail(tessera: Running, id: string, at: number): Promise<void> {
  const to = { recipient: 'lost@acme.example', recipient_key: 'lost@acme.example', user_uuid: null }
  const rest = { kind: 'notice', link_hash: null, body: null, error: '550', forgotten_at: null }
  const times = { next_at: at, expires_at: at, created_at: at, ended_at: at }
  const row = { id, ...to, ...rest, ...times, state: 'dead' as const }
  await withStore(tessera, ({ db }) => db.insertInto('mails').values(row).execute())
}

/** A delivery of a webhook that is over. */
export async function addDelivery(
  tessera: Running,
  webhook_uuid: string,
  { sequence, state, at }: { sequence: number; state: 'dead' | 'delivered'; at: number },
): Promise<void> {
  const times = { next_at: at, created_at: at, ended_at: at }
  const row = { id: `${webhook_uuid}-${sequence}`, webhook_uuid, sequence, kind: 'user.removed', state }
  await withStore(tessera, ({ db }) =>
    db
      .insertInto('webhook_deliveries')
      .values({ ...row, ...times, attempts: 9 })
      .execute(),
  )
}

/** Gives somebody the same profile so many times, and yields their uuids. */
export async function giveProfiles(
  tessera: Running,
  profile: Pick<
    Selectable<Schema['profiles']>,
    'user_uuid' | 'role_code' | 'organisation_uuid' | 'unit_uuid'
  >,
  count: number,
): Promise<string[]> {
  const all = Array.from({ length: count }, () => ({ ...profile, uuid: randomUUID(), active: 1 }))
  await withStore(tessera, ({ db }) => insertRows(db, 'profiles', Object.keys(all[0] ?? {}), all))
  return all.map(({ uuid }) => uuid)
}

/** By table: how many rows of a person count or wait there still, where there are any; of the person whether there is a password. */
export const leftOf = (tessera: Running, user_uuid: string): Promise<Record<string, number>> =>
  withStore(tessera, async ({ db }) => {
    const counted = {
      factors: sql`factors`,
      removed_factors: sql`removed_factors`,
      recovery_codes: sql`recovery_codes`,
      sessions: sql`sessions where ended_at is null`,
      token_families: sql`token_families where revoked_at is null`,
      consents: sql`consents`,
      devices: sql`devices`,
      trusted_devices: sql`trusted_devices`,
      held_addresses: sql`held_addresses`,
      webauthn_challenges: sql`webauthn_challenges`,
      // Notices of what was done meanwhile come late.
      links: sql`links where purpose <> 'notice' or subject like 'planted%'`,
      password: sql`users where password_hash is not null`,
    }
    const left: Record<string, number> = {}
    for (const [name, from] of Object.entries(counted)) {
      const own = sql.ref(name === 'password' ? 'uuid' : 'user_uuid')
      const { rows } = await sql<{
        n: number
      }>`select count(*) as n from (select ${own} as owner from ${from}) as t
        where owner = ${user_uuid}`.execute(db)
      const n = Number(rows[0]?.n)
      if (n > 0) left[name] = n
    }
    return left
  })

/** All that somebody who was signed in to an account can leave there, of which pages make one at a time. */
export async function plantIn(tessera: Running, user_uuid: string, now: number): Promise<void> {
  const expires_at = now + 3_600_000
  const id = `planted ${user_uuid}`
  await withStore(tessera, async ({ db }) => {
    const key = { kind: 'passkey' as const, name: 'Planted', created_at: now, confirmed_at: now }
    const kept = JSON.stringify({ ...key, credential_id: id, rp_id: 'localhost' })
    await db
      .insertInto('removed_factors')
      .values({ id, user_uuid, kept, secret: null, removed_at: now })
      .execute()
    await db.insertInto('recovery_codes').values({ user_uuid, number: 1, hash: id, used_at: null }).execute()
    await db
      .insertInto('trusted_devices')
      .values({ id_hash: id, user_uuid, label: 'x', proved_at: now, last_used_at: now })
      .execute()
    const consent = { user_uuid, client_id: 'partner-portal', scope: 'openid', granted_at: now }
    await db.insertInto('consents').values(consent).execute()
    const email = `${user_uuid}@held.example`
    await db
      .insertInto('held_addresses')
      .values({ email_key: email, email, user_uuid, changed_at: now, expires_at })
      .execute()
    const challenge = { id, challenge: 'x', purpose: 'passkey', bound_to: 'x', user_uuid, expires_at }
    await db.insertInto('webauthn_challenges').values(challenge).execute()
    for (const purpose of ['notice', 'address_confirmation', 'enrolment_code', 'enrolment_proof'] as const)
      await makeLink(db, {
        purpose,
        subject: id,
        user_uuid,
        data: { event: 'x' },
        expiresAt: expires_at,
        now,
      })
  })
}

/** Which profiles of a person are more than those could give who made the account: null stands before the others. */
export const beyondOf = (tessera: Running, user_uuid: string): Promise<(string | null)[]> =>
  withStore(tessera, async ({ db }) => {
    const rows = await db.selectFrom('profiles').select('beyond').where('user_uuid', '=', user_uuid).execute()
    return rows.map((row) => row.beyond).toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1))
  })

/** As what ends an account, or what is of it, by this reason. */
export const endOf = (
  tessera: Running,
  user_uuid: string,
  ending: { reason: string; now: number; kept?: readonly string[] },
): Promise<unknown> =>
  withStore(tessera, ({ db }) => db.transaction().execute((trx) => end(trx, { users: [user_uuid] }, ending)))

/** Whether the link of an invitation counts. */
export const invitationLinkCounts = async ({ db }: Store, text: string, now: number): Promise<boolean> =>
  (await readLink(db, 'invitation', text, now)) !== undefined

/** As an account that a version before made, which does not know who. */
export async function forgetMakers(tessera: Running, uuid: string): Promise<void> {
  await withStore(tessera, async ({ db }) => {
    await db
      .updateTable('users')
      .set({ makers: null, unproved_since: null })
      .where('uuid', '=', uuid)
      .execute()
    await db.updateTable('profiles').set({ beyond: 'before' }).where('user_uuid', '=', uuid).execute()
  })
}

/** Rows of upstreams as they are stored. */
export const upstreamRowsOf = async (tessera: Running): Promise<Selectable<Schema['upstreams']>[]> =>
  await withStore(tessera, ({ db }) => db.selectFrom('upstreams').selectAll().orderBy('code').execute())

/** What organisations enter by set-up links. */
export const draftRowsOf = async (tessera: Running): Promise<Selectable<Schema['upstream_invitations']>[]> =>
  await withStore(tessera, ({ db }) => db.selectFrom('upstream_invitations').selectAll().execute())

/** Links somebody to an upstream that told these groups. */
export async function linkTo(
  tessera: Running,
  link: { upstream_uuid: string; user_uuid: string; groups: readonly string[]; at: number },
): Promise<void> {
  const { upstream_uuid, user_uuid, groups, at } = link
  const told = { groups: JSON.stringify(groups), claims: '{}', groups_at: at, told: null }
  const row = { upstream_uuid, user_uuid, subject: user_uuid, created_at: at, last_sign_in_at: at, ...told }
  await withStore(tessera, ({ db }) =>
    db
      .insertInto('upstream_links')
      .values({ ...row, by_hand: 0 })
      .execute(),
  )
}

/** What an organisation says of itself besides what the API sets: whose upstreams open it, and who gets in without one. */
export async function setOrganisation(
  tessera: Running,
  uuid: string,
  { accepts, breakGlass }: { accepts?: readonly string[]; breakGlass?: readonly string[] },
): Promise<void> {
  const set = {
    ...(accepts !== undefined && { accepts: JSON.stringify(accepts) }),
    ...(breakGlass !== undefined && { break_glass: JSON.stringify(breakGlass) }),
  }
  await withStore(tessera, ({ db }) =>
    db.updateTable('organisations').set(set).where('uuid', '=', uuid).execute(),
  )
}

/** An upstream as the rooms work on it, kept in the database; it belongs to the organisation Acme. */
export async function makeUpstream(store: Store, set: Partial<Upstream>): Promise<Upstream> {
  const organisation = store.db.selectFrom('organisations').select('uuid').where('code', '=', 'acme')
  const { uuid: organisation_uuid } = await organisation.executeTakeFirstOrThrow()
  const upstream = upstreamOf({
    organisation_uuid,
    code: `directory-${randomUUID().slice(0, 8)}`,
    name: 'Directory',
    kind: 'ldap',
    created_at: 1,
    updated_at: 1,
    ...set,
  })
  const { attributes, mapping, assurance, domains, secret: _, ...row } = upstream
  const json = { attributes, mapping, assurance, domains }
  const texts = Object.fromEntries(Object.entries(json).map(([name, one]) => [name, JSON.stringify(one)]))
  const { uuid, secret: plain } = upstream
  const kept = {
    ...row,
    ...(texts as Record<keyof typeof json, string>),
    secret: plain === undefined ? null : encryptedUpstream(plain, uuid, 'secret', secret),
    private_key: null,
  }
  await store.db.insertInto('upstreams').values(kept).execute()
  return upstream
}

/** As if a person had signed in through the upstream as this subject. */
export async function linkUpstream(store: Store, upstream_uuid: string, subject: string, email: string) {
  const person = store.db.selectFrom('users').select('uuid').where('email', '=', email)
  const { uuid: user_uuid } = await person.executeTakeFirstOrThrow()
  const row = { upstream_uuid, subject, user_uuid, created_at: 1, by_hand: 0, last_sign_in_at: 1 } as const
  await store.db.insertInto('upstream_links').values(row).execute()
  return user_uuid
}

interface MadeDirectory {
  uuid: string
  /** Adds another bearer token, which counts for so long. */
  token(lifetime?: number): Promise<string>
}

/** A directory of an organisation, which has these domains. */
export async function makeDirectory(
  tessera: Running & { clock: { now(): number } },
  {
    organisation_uuid,
    domains = [],
    mapping = [],
  }: { organisation_uuid: string; domains?: readonly string[]; mapping?: readonly object[] },
): Promise<MadeDirectory> {
  const [uuid, now] = [randomUUID(), tessera.clock.now()]
  const times = { created_at: now, updated_at: now, version: 1 }
  await withStore(tessera, async ({ db }) => {
    for (const name of domains)
      await db
        .insertInto('domains')
        .values({
          ...{ uuid: randomUUID(), organisation_uuid, name, given: 1, holds: 1, token: 'x', ...times },
          ...{ proved_at: null, checked_at: null, missing_since: null },
        })
        .execute()
    const about = { organisation_uuid, code: uuid.slice(0, 8), name: 'HR', active: 1, subject: null } as const
    await db
      .insertInto('directories')
      .values({ uuid, ...about, mapping: JSON.stringify(mapping), ...times })
      .execute()
  })
  return {
    uuid,
    async token(lifetime = 86_400_000) {
      const text = randomUUID() + randomUUID()
      const row = { id: randomUUID(), directory_uuid: uuid, hash: hashSecret(text), last_used_at: null }
      const expires_at = tessera.clock.now() + lifetime
      await withStore(tessera, ({ db }) =>
        db
          .insertInto('directory_tokens')
          .values({ ...row, created_at: tessera.clock.now(), expires_at })
          .execute(),
      )
      return text
    },
  }
}

/** As an administrator disables a directory, or enables it. */
export const switchDirectory = async (tessera: Running, uuid: string, active: 0 | 1): Promise<void> => {
  await withStore(tessera, ({ db }) =>
    db.updateTable('directories').set({ active }).where('uuid', '=', uuid).execute(),
  )
}

/** A claim of an organisation, made anew where its code is unknown. */
export async function claimDomain(
  { db }: Store,
  code: string,
  name: string,
  set: Partial<Insertable<Schema['domains']>> = {},
): Promise<{ uuid: string; token: string }> {
  const found = await db
    .selectFrom('organisations')
    .select('uuid')
    .where('code', '=', code)
    .executeTakeFirst()
  const organisation_uuid = found?.uuid ?? randomUUID()
  if (found === undefined) {
    const like = await db.selectFrom('organisations').selectAll().executeTakeFirstOrThrow()
    await db
      .insertInto('organisations')
      .values({ ...like, uuid: organisation_uuid, code, managed_by: null })
      .execute()
  }
  const claim = { uuid: randomUUID(), token: `tessera-domain=${randomUUID()}${randomUUID()}` }
  const none = { given: 0, holds: 0, proved_at: null, checked_at: null, missing_since: null } as const
  const row = { ...claim, organisation_uuid, name, ...none, created_at: 1, updated_at: 1, ...set }
  await db.insertInto('domains').values(row).execute()
  return claim
}

/** The claims of a domain by their uuid. */
export const claimsOfDomain = async ({ db }: Store, name: string) =>
  new Map(
    (await db.selectFrom('domains').selectAll().where('name', '=', name).execute()).map((row) => [
      row.uuid,
      row,
    ]),
  )
/** Gives somebody a second factor, as if they had set up an authenticator app. */
export async function plantApp(tessera: Running, user_uuid: string): Promise<void> {
  const none = {
    ...{ last_used_at: null, pending_sid: null, suspended_at: null, last_step: null, credential_id: null },
    ...{ public_key: null, sign_count: null, backup_eligible: null, backup_state: null },
    ...{ transports: null, aaguid: null, rp_id: null },
  }
  const app = { id: user_uuid, user_uuid, kind: 'totp', name: 'Planted', secret: 'planted' } as const
  await withStore(tessera, ({ db }) =>
    db
      .insertInto('factors')
      .values({ ...none, ...app, created_at: 1, confirmed_at: 1 })
      .execute(),
  )
}

/** What opens organisations, as it is stored. */
export const openingIn = async ({ db }: Store) => ({
  upstreams: await db.selectFrom('upstreams').selectAll().orderBy('code').execute(),
  domains: await db.selectFrom('domains').selectAll().orderBy('name').execute(),
  organisations: await db.selectFrom('organisations').selectAll().orderBy('code').execute(),
})

/** Leaves everybody without a password. */
export const forgetPasswords = async ({ db }: Store): Promise<void> =>
  void (await db.updateTable('users').set({ password_hash: null }).execute())
