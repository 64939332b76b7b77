/** Step-up (RFC 9470): what a person does only within ten minutes of a sign-in, and a browser left open does not. */
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { refresh, tokensOf } from '../harness/program.ts'
import { everythingWritten } from '../harness/states.ts'
import { runHere } from '../cli/command-support.ts'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  profiles,
  users,
} from './support.ts'

type Change = [method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object]

const minute = 60_000
const stale = '401 insufficient_user_authentication'
const importer = 'submissions-tool.vista-import.create'
const administrator = { role_code: 'administrator' }

const robotOf = (client_id: string, services: string[], permissions: string[]) => ({
  client_id,
  client_name: client_id,
  type: 'machine',
  services,
  permissions,
})

const firstParty = {
  client_id: 'ours',
  client_name: 'Ours',
  type: 'public',
  first_party: true,
  redirect_uris: ['https://ours.example/callback'],
  scope: 'openid',
}

onOneDatabase('a recent sign-in', (dialect) => {
  const tessera = administeredOn(dialect)
  const as = { changes: { client_id: 'admin-web', scope: 'openid service.api' } }
  let machine: Administrator
  let old: Administrator
  let head: Administrator
  let unitHead: Administrator
  let oldToken: string
  let webhook: string
  let invitation: string
  let below: string
  let dormant: string
  let spareSecret: string
  let held: string

  beforeAll(async () => {
    machine = await Administrator.machine(tessera.url)
    const tokens = await tokensFor(tessera.url, people.admin, as)
    head = await Administrator.person(tessera.url, heads.head)
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
    const made = async (path: string, body: object) => {
      const { status, json, text } = await machine.post(path, body)
      expect(status, text).toBe(201)
      return json
    }
    // What it wants never happens here, so that nothing is sent.
    const hook = { url: 'https://recent.example/', kinds: ['service.created'] }
    webhook = String((await made('/webhooks', hook)).uuid)
    const invited = { email: 'invited@acme.example', profiles: [administrator] }
    invitation = String((await made('/invitations', invited)).uuid)
    await made('/roles', { code: 'off', name: 'Off', active: false, permissions: ['iam.users.read'] })
    await made('/roles', { code: 'on', name: 'On', permissions: ['iam.users.read'] })
    const abroad = { user_uuid: users.nobody, ...administrator, organisation_uuid: globex }
    held = String((await made('/profiles', abroad)).uuid)
    await made('/roles', { code: 'held', name: 'Held', permissions: [importer] })
    await made('/profiles', { user_uuid: users.nobody, role_code: 'held', organisation_uuid: acme })
    await made('/roles', { code: 'strict', name: 'Strict', policy: { second_factor: 'required' } })
    await made('/users', { email: 'demanded@acme.example', name: 'Demanded', enrolment_required: true })
    await made('/clients', robotOf('former-robot', ['iam'], ['iam.users.read']))
    await made('/roles', { code: 'spare', name: 'Spare', permissions: [importer] })
    await made('/clients', robotOf('robot-of-keys', ['submissions-tool'], [importer]))
    spareSecret = String((await made('/clients/robot-of-keys/secrets', {})).id)
    await signIn(new TestBrowser(tessera.url), authorizeRequest().path, { ...people.both, password: 'wrong' })
    const former = { email: 'former@acme.example', name: 'Former', active: false, profiles: [administrator] }
    await made('/users', former)
    below = String((await made('/units', { organisation_uuid: acme, code: 'below', name: 'Below' })).uuid)
    dormant = String((await made('/organisations', { code: 'dormant', name: 'Dormant', active: false })).uuid)
    const sleeper = robotOf('sleeper', ['iam'], ['iam.users.read'])
    await made('/clients', { ...sleeper, organisation_uuid: dormant })
    tessera.clock.advance(11 * minute)
    // Which is no sign-in.
    const refreshed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
    oldToken = tokensOf(refreshed).access_token ?? ''
    old = new Administrator(tessera.url, oldToken)
  })

  const ask = async (who: Administrator, [method, path, body]: Change, query = '') =>
    await who.ask(method, `${path}${query}`, {
      ...(body !== undefined && { body }),
      ...(method !== 'POST' && { match: '*' }),
    })

  /** In an order in which each can be made. */
  async function grave(): Promise<Change[]> {
    const [former, demanded] = await Promise.all(
      ['former', 'demanded'].map(async (one) =>
        String((await machine.all(`/users?q=${one}@acme.example`))[0]?.uuid),
      ),
    )
    return [
      ['POST', '/clients/onlooker-cli/secrets', {}],
      ['DELETE', `/clients/robot-of-keys/secrets/${spareSecret}`],
      ['PATCH', '/clients/robot-of-keys', { jwks_uri: 'https://keys.example/jwks.json' }],
      ['POST', `/webhooks/${webhook}/secrets`, {}],
      ['POST', '/webhooks', { url: 'https://new.example/', kinds: ['service.created'] }],
      ['PATCH', `/webhooks/${webhook}`, { url: 'https://elsewhere.example/' }],
      ['POST', '/keys', {}],
      ['POST', '/profiles', { user_uuid: users.nobody, ...administrator, organisation_uuid: acme }],
      ['PATCH', `/profiles/${profiles.importer}`, { role_code: 'acme-administrator' }],
      ['POST', '/users', { email: 'new@acme.example', name: 'New', profiles: [administrator] }],
      ['PATCH', `/users/${former}`, { active: true }],
      ['POST', '/invitations', { email: 'other@acme.example', profiles: [administrator] }],
      ['POST', `/invitations/${invitation}/resend`, {}],
      ['POST', '/roles', { code: 'new', name: 'New', permissions: [importer, 'iam.users.read'] }],
      ['PATCH', '/roles/reader', { permissions: ['iam.*'] }],
      ['PATCH', '/roles/off', { active: true }],
      // It would give that once somebody switches it on again.
      ['PATCH', '/roles/bookkeeper', { active: false, permissions: ['iam.users.read'] }],
      ['PATCH', '/clients/former-robot', { active: false, permissions: ['iam.*'] }],
      ['POST', '/clients', { ...robotOf('later-robot', ['iam'], ['iam.users.read']), active: false }],
      ['PATCH', '/roles/strict', { policy: { second_factor: 'optional' } }],
      ['PATCH', '/roles/strict', { policy: null }],
      ['PATCH', `/users/${demanded}`, { enrolment_required: false }],
      // Who administers the unit above comes to administer it.
      ['PATCH', `/units/${below}`, { parent_uuid: finance }],
      // Its machine administers.
      ['PATCH', `/organisations/${dormant}`, { active: true }],
      ['PATCH', '/clients/onlooker-cli', { services: ['ledger'], permissions: ['ledger.entry.read'] }],
      ['POST', '/clients', robotOf('robot', ['iam'], ['iam.users.read'])],
      // Nobody is asked before it sends them there.
      ['PATCH', '/clients/submissions-web', { redirect_uris: ['https://elsewhere.example/callback'] }],
      ['PATCH', '/clients/partner-portal', { first_party: true }],
      ['POST', '/clients', firstParty],
      ['PATCH', '/clients/submissions-web', { services: ['iam', 'submissions-tool'], permissions: null }],
      ['PATCH', '/clients/admin-web', { redirect_uris: ['https://elsewhere.example/callback'] }],
      ['PATCH', `/users/${users.both}`, { password: 'correct horse battery ten' }],
      ['PATCH', `/users/${users.both}`, { email_verified: false }],
      ['PATCH', `/users/${users.both}`, { email: 'both2@acme.example' }],
      ['POST', `/users/${users.both}/recovery`, { delivery: 'link' }],
      ['DELETE', `/users/${users.both}/factors`],
      ['POST', `/users/${users.both}/unlock`, {}],
      ['DELETE', `/profiles/${profiles.bothReader}`],
      ['DELETE', '/roles/held'],
      ['DELETE', `/permissions/${importer}`],
      ['DELETE', '/services/ledger'],
      ['DELETE', `/users/${users.both}`],
      ['DELETE', `/units/${intake}`],
      ['DELETE', `/organisations/${acme}`],
    ]
  }

  it('is asked for after what is not allowed, and by nothing that takes or gives little', async () => {
    const refused: [Administrator, Change, string][] = [
      [head, ['POST', '/keys', {}], '403 forbidden'],
      [head, ['POST', '/roles', { code: 'x', name: 'X', permissions: ['iam.users.read'] }], '403 forbidden'],
      [head, ['DELETE', `/users/${users.admin}`], '404 not_found'],
      [unitHead, ['POST', '/clients/onlooker-cli/secrets', {}], '404 not_found'],
      [unitHead, ['DELETE', `/profiles/${profiles.importer}`], stale],
      [
        head,
        [
          'POST',
          '/profiles',
          { user_uuid: users.importer, role_code: 'acme-administrator', organisation_uuid: acme },
        ],
        stale,
      ],
      [
        old,
        ['POST', '/roles', { code: 'x', name: 'X', permissions: ['iam.no.read'] }],
        '400 invalid_request permissions.0',
      ],
    ]
    for (const [who, change, expected] of refused)
      expect(problemOf(await ask(who, change)), change.join(' ')).toBe(expected)
    const done: Change[] = [
      ['POST', '/roles', { code: 'plain', name: 'Plain', permissions: [importer] }],
      ['POST', '/profiles', { user_uuid: users.nobody, role_code: 'plain', organisation_uuid: acme }],
      ['PATCH', `/users/${users.importer}`, { name: 'Renamed' }],
      ['PATCH', `/users/${users.importer}`, { active: false }],
      ['PATCH', `/users/${users.importer}`, { active: true }],
      ['PATCH', `/profiles/${profiles.admin}`, { active: true }],
      ['PATCH', '/roles/administrator', { name: 'Renamed' }],
      ['POST', '/clients', robotOf('plain', ['submissions-tool'], [importer])],
      ['DELETE', '/clients/plain'],
      ['PATCH', '/clients/partner-portal', { redirect_uris: ['https://partner.example/other'] }],
      ['PATCH', '/clients/submissions-web', { redirect_uris: ['http://127.0.0.1:4001/callback'] }],
      ['PATCH', '/roles/strict', { policy: { second_factor: 'passkey' } }],
      ['PATCH', '/clients/onlooker-cli', { active: false }],
      ['PATCH', '/roles/on', { active: false }],
      ['PATCH', `/profiles/${held}`, { active: false }],
      ['PATCH', '/roles/off', { name: 'Still off' }],
      ['PATCH', `/webhooks/${webhook}`, { description: 'Renamed' }],
      ['DELETE', '/roles/spare'],
      ['DELETE', `/users/${users.importer}/sessions`],
      ['PATCH', `/units/${finance}`, { name: 'Finances' }],
    ]
    for (const change of done) expect((await ask(old, change)).status, change.join(' ')).toBeLessThan(300)
  })

  it('is asked for, before anything is changed, by what would let somebody in or take access', async () => {
    const changes = await grave()
    const before = await everythingWritten(tessera)
    for (const change of changes) {
      const refused = await ask(old, change)
      expect(problemOf(refused), change.join(' ')).toBe(stale)
      expect(refused.json.max_age).toBe(600)
      expect(refused.headers.get('www-authenticate')).toMatch(
        /^Bearer error="insufficient_user_authentication", error_description="[^"]+", max_age="600"$/,
      )
      const tried = await ask(old, change, '?dry_run=true')
      expect([tried.status, tried.json.sign_in_again], change.join(' ')).toEqual([200, true])
    }
    expect(await everythingWritten(tessera)).toEqual(before)
  })

  it('is what the command tells people to do', async () => {
    const environment = { TESSERA_URL: tessera.url, TESSERA_TOKEN: oldToken }
    const command = ['role', 'delete', 'held', '--yes', '--override-file']
    const ran = await runHere(command, { environment })
    expect([ran.code, ran.stdout]).toEqual([1, ''])
    expect(ran.stderr).toMatch(/Sign in again; nothing was changed\. Here that is: tessera login\.\n$/)
    const tried = await runHere([...command, '--dry-run'], { environment })
    expect(tried.stderr).toContain('It would be refused until you sign in again: tessera login.')
  })

  it('lets the same requests through, and their keys are not used up', async () => {
    const headers = { 'idempotency-key': 'recent-sign-in' }
    const body = { code: 'keyed', name: 'Keyed', permissions: ['iam.users.read'] }
    expect(problemOf(await old.post('/roles', body, headers))).toBe(stale)
    const fresh = new Administrator(
      tessera.url,
      (await tokensFor(tessera.url, people.admin, as)).access_token ?? '',
    )
    const made = await fresh.post('/roles', body, headers)
    expect([made.status, made.headers.get('idempotency-replayed')], made.text).toEqual([201, null])
    // What was made is told again to whoever comes later, for nothing is made.
    expect((await old.post('/roles', body, headers)).headers.get('idempotency-replayed')).toBe('true')
    for (const change of await grave()) {
      const { status, text } = await ask(fresh, change)
      expect(status, `${change.join(' ')} ${text}`).toBeLessThan(300)
    }
    // A machine proves itself with each token.
    const removed = await machine.delete('/roles/keyed', '*')
    expect(removed.status).toBe(204)
  })
})
