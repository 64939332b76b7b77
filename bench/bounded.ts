/** Whether the tables stay bounded: sign-ins and refreshes by the store's own verbs, with the service's sweep. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { findCode, issueCode, redeem } from '../server/dist/store/authorization-codes.js'
import { auditKeeper } from '../server/dist/keys/audit-key.js'
import type { Store } from '../server/dist/database/store.js'
import { openStore } from '../server/dist/database/open.js'
import { presentRefreshToken, rotate } from '../server/dist/store/refresh-tokens.js'
import { passwordProof, startSession } from '../server/dist/store/start-session.js'
import { sweep } from '../server/dist/store/sweep.js'
import { newFamily } from '../server/dist/store/token-families.js'
import { Unanswered } from '../server/dist/store/unanswered.js'
import { newFolder, remove } from './service.ts'

const hour = 3_600_000
const day = 24 * hour
const lifetimes = { idle: 14 * day, absolute: 30 * day }
/** One sign-in is refreshed this often and then forgotten by its client. */
const refreshesEach = 50
const together = 20
/** How much of the tables' time passes with each refresh, ms: a million take a hundred days. */
const pace = (100 * day) / 1_000_000

/** Refreshes until there were `goal`, or `minutes` are over; prints the sizes ten times on the way. */
export async function bounded(goal = 1_000_000, minutes = 5): Promise<void> {
  const folder = newFolder()
  const path = join(folder, 'tessera.sqlite')
  const store = await openStore(
    `sqlite:${path}`,
    auditKeeper(() => ({ secret: 'a secret of the bench', previousSecret: undefined })),
  )
  // The sizes are the question here, not what a power cut leaves.
  await sql`pragma synchronous = off`.execute(store.db)
  await addPerson(store)
  const until = performance.now() + minutes * 60_000
  const clock = { now: Date.UTC(2030, 0, 1) }
  const sizes = async (done: number) =>
    process.stdout.write(`${await row(store, path, done, clock.now - Date.UTC(2030, 0, 1))}\n`)
  process.stdout.write(
    '| refreshes | days | families | codes | sessions | file and log, MiB |\n|---|---|---|---|---|---|\n',
  )
  let done = 0
  let swept = clock.now
  for (let told = 0; done < goal && performance.now() < until; ) {
    await Promise.all(Array.from({ length: together }, () => lifeOfOneSignIn(store, clock)))
    done += together * refreshesEach
    if (clock.now - swept >= hour) {
      await sweep(store, clock.now)
      swept = clock.now
    }
    if (done - told >= goal / 10) {
      told = done
      await sizes(done)
    }
  }
  await sizes(done)
  await store.close()
  remove(folder)
}

async function lifeOfOneSignIn(store: Store, clock: { now: number }): Promise<void> {
  const unanswered = new Unanswered(store, () => clock.now)
  let token = await signIn(store, clock.now)
  for (let times = 0; times < refreshesEach; times++) {
    clock.now += pace
    const now = Math.floor(clock.now)
    const presented = await presentRefreshToken(store, token, now)
    if (presented.state !== 'current') throw new Error(`The token is ${presented.state}.`)
    const current = { ...presented, state: presented.state }
    const change = { profile_uuid: undefined, now, idle: lifetimes.idle, unanswered }
    const next = await rotate(store, current, change)
    if (next === undefined) throw new Error('The token was refused.')
    token = next.text
  }
}

const person = { uuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001', password_hash: 'of nothing' }

/** The one who signs in, again and again. */
async function addPerson(store: Store): Promise<void> {
  const absent = ['given_name', 'family_name', 'preferred_username', 'picture', 'locale', 'zoneinfo'] as const
  await store.db
    .insertInto('users')
    .values({
      ...person,
      email: 'person@bench.example',
      email_key: 'person@bench.example',
      email_verified: 1,
      name: 'Person',
      ...(Object.fromEntries(absent.map((name) => [name, null])) as Record<(typeof absent)[number], null>),
      declared_password_hash: null,
      active: 1,
      last_profile_uuid: null,
      created_at: 0,
      updated_at: 0,
    })
    .execute()
}

async function signIn(store: Store, at: number): Promise<string> {
  const now = Math.floor(at)
  const authentication = { auth_time: now, acr: '1', proofs: '[]', amr: '["pwd"]' }
  const started = await startSession(store, undefined, {
    ...authentication,
    user_uuid: person.uuid,
    proofs: [passwordProof(person.password_hash)],
    now,
    lifetime: 7 * day,
    from: { address: '192.0.2.1', requestId: 'bench', client_id: 'submissions-web' },
  })
  if (started === undefined) throw new Error('The session was refused.')
  const grant = {
    ...authentication,
    client_id: 'submissions-web',
    user_uuid: person.uuid,
    sid: started.sid,
    profile_uuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101',
    scope: 'openid service.api',
    resource: null,
    jkt: null,
  }
  const text = await issueCode(
    store,
    { ...grant, redirect_uri: 'https://app.example/callback', code_challenge: 'x'.repeat(43), nonce: 'n' },
    { now, lifetime: 60_000 },
  )
  if (text === undefined) throw new Error('There is no code.')
  const found = await findCode(store, text, now)
  const { row: family, token } = newFamily(grant, { now, ...lifetimes })
  const redeemed =
    found &&
    (await redeem(store, found.code.id, family, { now, from: { address: '127.0.0.1', requestId: 'bench' } }))
  if (redeemed !== 'redeemed') throw new Error(`The code was not redeemed: ${JSON.stringify(redeemed)}`)
  return token
}

async function row(store: Store, path: string, done: number, passed: number): Promise<string> {
  const count = async (table: string) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(store.db)
    return rows[0]?.n ?? 0
  }
  const tables = [await count('token_families'), await count('authorization_codes'), await count('sessions')]
  const bytes = statSync(path).size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0)
  const cells = [done, (passed / day).toFixed(1), ...tables, (bytes / 1024 / 1024).toFixed(1)]
  return `| ${cells.join(' | ')} |`
}
