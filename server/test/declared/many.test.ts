import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import type { Store } from '../../dist/database/store.js'
import { watched } from '../harness/stores.ts'
import { acme, apply, edited, forEachDatabase, parse, passwords } from './support.ts'

/** Many people are written by few statements: who changes thousands holds everybody else up for as long as it writes. */

const many = 120

interface Described {
  name?: string
  email?: (number: number) => string
  role?: string
  hash?: string
  more?: string
}

const uuid = (kind: number, number: number) =>
  `00000000-0000-4000-8000-${kind}${String(number).padStart(11, '0')}`
const hash = (digit: string) => `"$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$${digit.repeat(42)}A"`

const familyOf = (number: number, sid: string) => ({
  id: `f${number}`,
  client_id: 'submissions-web',
  user_uuid: uuid(1, number),
  sid,
  profile_uuid: uuid(2, number),
  scope: 'openid',
  resource: null,
  auth_time: 1,
  acr: '1',
  proofs: '[]',
  amr: '[]',
  family_hash: `h${number}`,
  current_hash: `h${number}`,
  predecessors: '[]',
  created_at: 1,
  last_used_at: 1,
  idle_expires_at: 9_000,
  expires_at: 9_000,
  revoked_at: null,
  revoked_reason: null,
})

/** The reference file with so many people more. */
function file({ name = 'Person', email, role = 'reader', hash: digit, more }: Described): string {
  const people = Array.from({ length: many }, (_, number) =>
    [
      `  - email: ${email?.(number) ?? `p${number}@many.example`}`,
      `    uuid: ${uuid(1, number)}`,
      `    name: ${name} ${number}`,
      ...(digit === undefined ? [] : [`    password_hash: ${hash(digit)}`]),
      ...(more === undefined ? [] : [`    ${more}`]),
      '    profiles:',
      `      - uuid: ${uuid(2, number)}`,
      `        role: ${role}`,
      '        organisation: acme',
    ].join('\n'),
  )
  const scope = 'scope: openid email profile service.api\n'
  return edited(
    acme,
    ['users:\n', `users:\n${people.join('\n')}\n`],
    [scope, `${scope}    backchannel_logout_uri: https://submissions.acme.example/out\n`],
  )
}

forEachDatabase((openEmptyStore) => {
  /** Applies it, and yields how many statements that took. */
  async function statementsOf(store: Store, text: string, prune = false): Promise<number> {
    let statements = 0
    const counting = watched(store, () => statements++)
    await applyDeclared(counting, parse(text), { now: 2_000, prune, ...passwords })
    return statements
  }
  const people = async (store: Store) =>
    await store.db
      .selectFrom('users')
      .innerJoin('profiles', 'profiles.user_uuid', 'users.uuid')
      .selectAll('users')
      .select(['role_code', 'profiles.version as profile_version'])
      .where('users.uuid', 'like', '00000000-%')
      .orderBy('users.uuid')
      .execute()

  it.each<[string, Described, Described, object]>([
    ['names', {}, { name: 'Other' }, { name: 'Other 7', version: 2 }],
    ['names that go', { more: 'given_name: Ada' }, {}, { given_name: null, version: 2 }],
    [
      'texts of all kinds',
      {},
      { more: `given_name: 'O"\\Brien {[,]} ü 🙂'` },
      { given_name: 'O"\\Brien {[,]} ü 🙂' },
    ],
    ['flags', {}, { more: 'active: false' }, { active: 0, version: 2 }],
    ['roles', {}, { role: 'bookkeeper' }, { role_code: 'bookkeeper', profile_version: 2, version: 1 }],
    ['passwords', { hash: 'A' }, { hash: 'B' }, { password_hash: hash('B').slice(1, -1), updated_at: 2_000 }],
    [
      'addresses that they exchange',
      {},
      { email: (number) => `p${number === many - 1 ? 0 : number + 1}@many.example` },
      { email: 'p8@many.example', email_key: 'p8@many.example' },
    ],
  ])('%s of many people change in a few statements', async (_, before, after, seventh) => {
    const store = await openEmptyStore()
    await apply(store, file(before))
    expect(await statementsOf(store, file(after))).toBeLessThan(100)
    const rows = await people(store)
    expect(rows).toHaveLength(many)
    expect(rows[7]).toMatchObject(seventh)
    expect(await statementsOf(store, file(after))).toBeLessThan(50)
  })

  it('many sessions and profiles end in a few statements, and each client is told of each session', async () => {
    const store = await openEmptyStore()
    await apply(store, file({ hash: 'A' }))
    const times = { created_at: 1, expires_at: 9_000, ended_at: null, auth_time: 1, last_seen_at: 1 }
    for (let number = 0; number < many; number++) {
      const session = { sid: `s${number}`, cookie_hash: `c${number}`, user_uuid: uuid(1, number) }
      await store.db
        .insertInto('sessions')
        .values({ ...session, ...times, acr: '1', proofs: '[]', amr: '[]' })
        .execute()
      await store.db.insertInto('token_families').values(familyOf(number, session.sid)).execute()
    }
    expect(await statementsOf(store, file({ hash: 'B' }))).toBeLessThan(100)
    const ended = await store.db.selectFrom('sessions').select('sid').where('ended_at', '=', 2_000).execute()
    const revoked = await store.db
      .selectFrom('token_families')
      .select('id')
      .where('revoked_at', '=', 2_000)
      .execute()
    const notices = await store.db.selectFrom('logout_notices').select(['sid', 'sub']).execute()
    expect([ended.length, revoked.length]).toEqual([many, many])
    const told = new Map(notices.map(({ sid, sub }) => [sid, sub]))
    expect(notices).toHaveLength(many)
    expect(told.get('s7')).toBe(uuid(1, 7))
  })

  it('many people are pruned in a few statements', async () => {
    const store = await openEmptyStore()
    await apply(store, file({}))
    expect(await statementsOf(store, acme, true)).toBeLessThan(100)
    expect(await people(store)).toEqual([])
    const left = store.db.selectFrom('users').select('uuid').where('uuid', 'like', '00000000-%')
    expect(await left.where('active', '=', 0).execute()).toHaveLength(many)
  })
})
