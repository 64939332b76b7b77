/** A client that belongs to an organisation acts within it, whatever its administrators make of it (decisions 10). */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administrators,
  globex,
  heads,
  problemOf,
  profiles,
  administeredOn,
} from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import {
  introspect,
  machineToken,
  otherMachine,
  refresh,
  refusalOf,
  tokensOf,
  userinfo,
} from '../harness/program.ts'

const { bothReader: atAcme, bothBookkeeper: atGlobex } = profiles
const callback = 'https://portal.example/callback'
const portal = {
  client_id: 'acme-portal',
  client_name: 'Acme portal',
  type: 'public',
  first_party: true,
  redirect_uris: [callback],
  scope: 'openid service.api',
  services: ['submissions-tool'],
  permissions: ['submissions-tool.vista-import.read'],
  organisation_uuid: acme,
}

onEachDatabase('a client of an organisation', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.person(tessera.url, heads.head)
    expect((await admin.post('/clients', portal)).status).toBe(201)
    expect(
      (await admin.post('/clients', { ...portal, client_id: 'everybodys', organisation_uuid: null })).status,
    ).toBe(201)
  })

  const ask = (changes: Record<string, string> = {}) =>
    authorizeRequest({ client_id: 'acme-portal', redirect_uri: callback, scope: portal.scope, ...changes })

  async function exchange(request: ReturnType<typeof ask>, visit: Visit) {
    return await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: request.parameters.client_id ?? '',
      redirect_uri: callback,
      code: answerOf(visit).code ?? '',
      code_verifier: request.verifier,
    })
  }

  describe('lets people choose', () => {
    it('none of the profiles that hold everywhere: an administrator of everything has none here', async () => {
      // What its own administrator may do, and what it would take to get at the installation.
      const evil = 'https://evil.example/cb'
      const changed = await own.patch('/clients/acme-portal', { redirect_uris: [callback, evil] })
      expect(changed.status).toBe(200)
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, ask({ redirect_uri: evil }).path, people.admin)
      expect([page.status, new URL(page.url).pathname]).toEqual([403, '/no-profile'])
      expect(page.body).toContain('none of your profiles')
      expect(page.body).toContain('Acme portal')
      const silent = answerOf(await browser.open(ask({ redirect_uri: evil, prompt: 'none' }).path))
      expect(silent).toMatchObject({ error: 'access_denied' })
      expect(silent).not.toHaveProperty('code')
      expect(answerOf(await browser.submit(page, { choice: 'continue' })).error).toBe('access_denied')
    })

    it('those of the organisation alone, and goes straight through where that is one', async () => {
      const request = ask()
      const visit = await signIn(new TestBrowser(tessera.url), request.path, people.both)
      const tokens = tokensOf(await exchange(request, visit))
      expect(claimsOf(tokens.access_token)).toMatchObject({ profile_uuid: atAcme, organisation_uuid: acme })
    })

    it('no other by profile_uuid', async () => {
      const browser = new TestBrowser(tessera.url)
      const request = ask({ profile_uuid: atGlobex })
      const visit = await signIn(browser, request.path, people.both)
      const tokens = tokensOf(await exchange(request, visit))
      expect(claimsOf(tokens.access_token)).toMatchObject({ profile_uuid: atAcme })
    })

    it('no other at a refresh', async () => {
      const request = ask()
      const visit = await signIn(new TestBrowser(tessera.url), request.path, people.both)
      const tokens = tokensOf(await exchange(request, visit))
      const asked = { client_id: 'acme-portal', profile_uuid: atGlobex }
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token, asked))).toBe('400 invalid_request')
      const after = tokensOf(await refresh(tessera.url, tokens.refresh_token, { client_id: 'acme-portal' }))
      expect(claimsOf(after.access_token)).toMatchObject({ profile_uuid: atAcme })
    })
  })

  describe('that is moved into one', () => {
    const everybodys = (changes: Record<string, string> = {}) => ask({ client_id: 'everybodys', ...changes })
    const move = async (to: string | null) =>
      expect((await admin.patch('/clients/everybodys', { organisation_uuid: to })).status).toBe(200)
    beforeEach(async () => {
      await admin.patch('/clients/everybodys', { organisation_uuid: null })
    })

    it('exchanges no code of another, now or when it is moved back', async () => {
      const asked = { profile_uuid: atGlobex }
      const request = everybodys(asked)
      const visit = await signIn(new TestBrowser(tessera.url), request.path, people.both)
      await move(acme)
      expect(refusalOf(await exchange(request, visit))).toBe('400 invalid_grant')
      await move(null)
      expect(refusalOf(await exchange(request, visit))).toBe('400 invalid_grant')
    })

    it('has no tokens of another, now or when it is moved back', async () => {
      const request = everybodys({ profile_uuid: atGlobex })
      const visit = await signIn(new TestBrowser(tessera.url), request.path, people.both)
      const tokens = tokensOf(await exchange(request, visit))
      for (const to of [acme, null]) {
        await move(to)
        expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
        const again = await refresh(tessera.url, tokens.refresh_token, { client_id: 'everybodys' })
        expect(refusalOf(again)).toBe('400 invalid_grant')
      }
    })

    it('by the declared file ends the same', async () => {
      const at = '    client_name: Submissions\n'
      const request = authorizeRequest({ profile_uuid: atGlobex })
      const visit = await signIn(new TestBrowser(tessera.url), request.path, people.both)
      const sent = {
        grant_type: 'authorization_code',
        client_id: 'submissions-web',
        redirect_uri: request.parameters.redirect_uri ?? '',
        code: answerOf(visit).code ?? '',
        code_verifier: request.verifier,
      }
      const tokens = tokensOf(await post(`${tessera.url}/oauth2/token`, sent))
      await applyChanged(tessera, ...administrators, [at, `${at}    organisation: acme\n`])
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      await applyChanged(tessera, ...administrators)
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    })

    it('and out of one by the declared file begins anew: its tokens and consents were for where it was', async () => {
      const at = '    client_name: Partner portal\n'
      await applyChanged(tessera, ...administrators, [at, `${at}    organisation: acme\n`])
      const client_id = 'partner-portal'
      const redirect_uri = 'https://partner.example/callback?tenant=1'
      const request = authorizeRequest({ client_id, redirect_uri, scope: 'openid' })
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, request.path, people.both)
      const visit = await browser.submit(page, { choice: 'allow' })
      const sent = { grant_type: 'authorization_code', client_id, redirect_uri }
      const code = { code: answerOf(visit).code ?? '', code_verifier: request.verifier }
      const tokens = tokensOf(await post(`${tessera.url}/oauth2/token`, { ...sent, ...code }))

      await applyChanged(tessera, ...administrators)
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      const elsewhere = { client_id, profile_uuid: atGlobex }
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token, elsewhere))).toBe('400 invalid_grant')
      const silent = { ...elsewhere, redirect_uri, scope: 'openid', prompt: 'none' }
      expect(answerOf(await browser.open(authorizeRequest(silent).path)).error).toBe('consent_required')
    })

    it.each(['the API', 'the declared file'])('ends the tokens of a machine, by %s', async (door) => {
      const jwt = await machineToken(tessera.url, otherMachine)
      expect((await introspect(tessera.url, jwt, otherMachine)).active).toBe(true)
      const at = '    client_name: Ledger report\n'
      if (door === 'the API') await admin.patch('/clients/ledger-report', { organisation_uuid: globex })
      else await applyChanged(tessera, ...administrators, [at, `${at}    organisation: globex\n`])
      expect((await introspect(tessera.url, jwt, otherMachine)).active).toBe(false)
      await applyChanged(tessera, ...administrators)
      expect((await introspect(tessera.url, jwt, otherMachine)).active).toBe(false)
    })
  })

  onOne.describe('and its administrators', () => {
    beforeAll(async () => {
      // People of the organisation may do there what its administrator may not.
      const ledger = { client_id: 'acme-ledger', first_party: false, services: ['ledger'], permissions: null }
      expect((await admin.post('/clients', { ...portal, ...ledger })).status).toBe(201)
      const machine = { client_id: 'acme-books', client_name: 'Books', type: 'machine', services: ['ledger'] }
      const books = { ...machine, permissions: ['ledger.entry.read'], organisation_uuid: acme }
      expect((await admin.post('/clients', books)).status).toBe(201)
    })

    it.each<[string, object]>([
      ['redirect_uris', { redirect_uris: ['https://evil.example/cb'] }],
      ['post_logout_redirect_uris', { post_logout_redirect_uris: ['https://evil.example/'] }],
      ['allowed_origins', { allowed_origins: ['https://evil.example'] }],
      ['backchannel_logout_uri', { backchannel_logout_uri: 'https://evil.example/' }],
      ['scope', { scope: 'openid email service.api' }],
      ['services', { services: ['ledger', 'submissions-tool'] }],
      ['fewer services', { services: [] }],
      ['permissions', { permissions: [] }],
      ['being disabled', { active: false }],
    ])('change no %s of one that carries more than they hold', async (_, change) => {
      expect(problemOf(await own.patch('/clients/acme-ledger', change))).toBe('403 forbidden')
    })

    it('enable none, and give it no secret', async () => {
      await admin.patch('/clients/acme-ledger', { active: false })
      expect(problemOf(await own.patch('/clients/acme-ledger', { active: true }))).toBe('403 forbidden')
      expect(problemOf(await own.post('/clients/acme-books/secrets', {}))).toBe('403 forbidden')
    })

    it.each([true, false])('never set first_party to %s', async (first_party) => {
      await admin.patch('/clients/acme-portal', { first_party: !first_party })
      const refused = await own.patch('/clients/acme-portal', { first_party })
      expect(problemOf(refused)).toBe('403 forbidden')
    })
  })

  onOne.it('is a link of the explanation', async () => {
    const asked = (profile: string, client: string) =>
      `/access/explain?permission=submissions-tool.vista-import.read&user_uuid=0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0002&profile_uuid=${profile}&client_id=${client}`
    const { json } = await admin.get(asked(atGlobex, 'acme-portal'))
    expect(json.allowed).toBe(false)
    expect(json.chain).toContainEqual({
      check: 'profile_at_client_organisation',
      holds: false,
      detail: 'The client acme-portal belongs to the organisation Acme Institute, but the profile does not.',
    })
    expect(json.would_grant).toContain(
      'Give them a profile at the organisation Acme Institute, or ask about a client that belongs to none.',
    )
    const own = (await admin.get(asked(atAcme, 'acme-portal'))).json.chain
    expect(own).toContainEqual(
      expect.objectContaining({ check: 'profile_at_client_organisation', holds: true }),
    )
    const without = JSON.stringify((await admin.get(asked(atGlobex, 'everybodys'))).json.chain)
    expect(without).not.toContain('profile_at_client_organisation')
  })
})
