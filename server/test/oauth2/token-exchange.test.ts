/** A service acts for the person who called it, at one other service (RFC 8693, decisions 31). */
import * as oauth from 'oauth4webapi'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  profiles,
  recordsWith,
  users,
} from '../administration/support.ts'
import { claimsOf, headerOf, people } from '../harness/browser.ts'
import { onEachDatabase, onOneDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import {
  introspect,
  machineToken,
  otherMachine,
  refusalOf,
  token,
  userinfo,
  Visitor,
} from '../harness/program.ts'
import {
  accessTokenType,
  addExchanger,
  addServices,
  audienceOf,
  type Caller,
  exchange,
  exchangeGrant,
  exchangerBody,
  must,
} from './exchange-support.ts'

const read = 'ledger.entry.read'

onEachDatabase('the exchange of a token', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let callers: Record<'first' | 'ledger' | 'archive' | 'vault', Caller>
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await addServices(admin)
    must(await admin.patch('/roles/reader', await readerWith('ledger.entry.create')), 200)
    callers = {
      first: await addExchanger(admin, exchangerBody('submissions-tool', ['ledger'], [read])),
      ledger: await addExchanger(admin, exchangerBody('ledger', ['archive'], ['archive.files.read'])),
      archive: await addExchanger(admin, exchangerBody('archive', ['vault'], ['vault.files.read'])),
      vault: await addExchanger(admin, exchangerBody('vault', ['depot'], ['depot.files.read'])),
    }
  })
  // The clock is moved.
  beforeEach(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const readerWith = async (permission: string) => {
    const { json } = await admin.get('/roles/reader')
    return { permissions: [...(json.permissions as string[]), permission] }
  }
  const signedIn = async (changes = {}, who: { email: string; password: string } = people.both) =>
    await new Visitor(tessera.url, who).tokens({ profile_uuid: profiles.bothReader, ...changes })
  const called = async (changes = {}) => (await signedIn(changes)).access_token
  const exchanged = async (caller: Caller, subject: string | undefined, target = 'ledger') =>
    String(
      must(await exchange(tessera.url, caller, subject, { resource: audienceOf[target] }), 200).json
        .access_token,
    )
  const refused = async (
    ...asked: Parameters<typeof exchange> extends [string, ...infer Rest] ? Rest : never
  ) => refusalOf(await exchange(tessera.url, ...asked))

  describe('gives', () => {
    it('a token for the other service, with what the person may do there and the exchange says', async () => {
      const subject = await called()
      const answer = must(await exchange(tessera.url, callers.first, subject), 200)
      const of = claimsOf(subject)
      expect(Object.keys(answer.json)).toEqual([
        'access_token',
        'token_type',
        'expires_in',
        'issued_token_type',
        'scope',
      ])
      expect(answer.json).toMatchObject({
        token_type: 'Bearer',
        issued_token_type: accessTokenType,
        scope: 'service.api',
      })
      const { access_token: made } = answer.json as Record<string, string>
      expect(headerOf(made)).toMatchObject({ typ: 'at+jwt', alg: 'RS256' })
      const claims = claimsOf(made)
      expect(claims).toMatchObject({
        aud: audienceOf['ledger'],
        permissions: [read],
        scope: 'service.api',
        client_id: callers.first.client_id,
        act: { sub: callers.first.client_id },
      })
      for (const name of [
        'iss',
        'sub',
        'sid',
        'acr',
        'amr',
        'auth_time',
        'profile_uuid',
        'organisation_uuid',
      ])
        expect(claims[name], name).toEqual(of[name])
      expect(claims.email).toBeUndefined()
      expect(Number(claims.exp)).toBeLessThanOrEqual(Number(of.exp))
      expect(answer.headers.get('cache-control')).toBe('no-store')
    })

    onOne.it('one for no longer than what it was exchanged for', async () => {
      const subject = await called()
      tessera.clock.advance(600_000)
      const answer = must(await exchange(tessera.url, callers.first, subject), 200)
      const { exp } = claimsOf(String(answer.json.access_token))
      expect(exp).toBe(claimsOf(subject).exp)
      expect(Number(answer.json.expires_in)).toBeLessThanOrEqual(300)
    })

    onOne.it('it to a client library that we did not write', async () => {
      const http = { [oauth.allowInsecureRequests]: true }
      const issuer = new URL(tessera.url)
      const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
      expect(as.grant_types_supported).toContain(exchangeGrant)
      const client = { client_id: callers.first.client_id }
      const answer = await oauth.genericTokenEndpointRequest(
        as,
        client,
        oauth.ClientSecretBasic(callers.first.client_secret),
        exchangeGrant,
        { subject_token: (await called()) ?? '', subject_token_type: accessTokenType, audience: 'ledger' },
        http,
      )
      const made = await oauth.processGenericTokenEndpointResponse(as, client, answer)
      expect(claimsOf(made.access_token)).toMatchObject({ aud: audienceOf['ledger'] })
    })

    it.each<[string, Record<string, string | undefined>]>(
      sampleOn(dialect, 1, [
        ['the audience as such', { resource: undefined, audience: audienceOf['ledger'] }],
        ['the code of the service', { resource: undefined, audience: 'ledger' }],
        ['both', { audience: 'ledger' }],
        ['the scope and the type', { scope: 'service.api', requested_token_type: accessTokenType }],
      ]),
    )('it by %s', async (_, changes) => {
      must(await exchange(tessera.url, callers.first, await called(), changes), 200)
    })

    it('a chain, which names each service that acts', async () => {
      const one = await exchanged(callers.first, await called())
      const two = await exchanged(callers.ledger, one, 'archive')
      const three = await exchanged(callers.archive, two, 'vault')
      const [first, second, third] = [callers.first, callers.ledger, callers.archive].map(
        (all) => all.client_id,
      )
      expect(claimsOf(three)).toMatchObject({
        client_id: third,
        aud: audienceOf['vault'],
        permissions: ['vault.files.read'],
        act: { sub: third, act: { sub: second, act: { sub: first } } },
      })
      expect(await refused(callers.vault, three, { resource: audienceOf['depot'] })).toBe(
        '400 invalid_request',
      )
      expect(await toldOf(callers.archive, three)).toMatchObject({ active: true, act: { sub: third } })
    })

    it('one record for each session, client and service', async () => {
      const visitor = new Visitor(tessera.url, people.both)
      const subject = (await visitor.tokens({ profile_uuid: profiles.bothReader })).access_token
      for (let time = 0; time < 3; time += 1) await exchanged(callers.first, subject)
      const { sid } = claimsOf(subject)
      const records = (await recordsWith(admin)).filter(
        (one) => one.kind === 'token.exchanged' && one.sid === sid,
      )
      expect(records).toMatchObject([
        {
          actor: { kind: 'client', id: callers.first.client_id },
          target: { kind: 'service', id: 'ledger' },
          user_uuid: users.both,
          detail: { called_by: ['submissions-web'] },
        },
      ])
    })

    onOne.it('no more at a service that the token is for itself than the token says', async () => {
      must(
        await admin.patch('/clients/submissions-web', {
          services: ['submissions-tool', 'ledger'],
          permissions: ['submissions-tool.vista-import.read'],
        }),
        200,
      )
      try {
        expect(claimsOf(await exchanged(callers.first, await called()))).toMatchObject({ permissions: [] })
      } finally {
        must(
          await admin.patch('/clients/submissions-web', {
            services: ['submissions-tool'],
            permissions: null,
          }),
          200,
        )
      }
    })
  })

  const toldOf = async (caller: Caller, subject: string | undefined) =>
    await introspect(tessera.url, subject, caller)

  describe('refuses', () => {
    it.each<[string, Record<string, string | undefined>, string]>(
      sampleOn(dialect, 1, [
        ['no subject token', { subject_token: undefined }, '400 invalid_request'],
        ['an empty one', { subject_token: '' }, '400 invalid_request'],
        ['one that is none', { subject_token: 'nonsense' }, '400 invalid_request'],
        ['no type of it', { subject_token_type: undefined }, '400 invalid_request'],
        [
          'a token that is called another',
          { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' },
          '400 invalid_request',
        ],
        [
          'to give a refresh token',
          { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
          '400 invalid_request',
        ],
        ['an empty type that is asked for', { requested_token_type: '' }, '400 invalid_request'],
        ['an actor token', { actor_token: 'x' }, '400 invalid_request'],
        ['an empty actor token', { actor_token: '' }, '400 invalid_request'],
        ['the type of an actor token', { actor_token_type: accessTokenType }, '400 invalid_request'],
        ['another scope', { scope: 'openid service.api' }, '400 invalid_scope'],
        ['an empty scope', { scope: '' }, '400 invalid_request'],
        ['no target', { resource: undefined }, '400 invalid_target'],
        ['an empty target', { resource: '' }, '400 invalid_request'],
        ['an empty audience beside it', { audience: '' }, '400 invalid_request'],
        ['another service', { resource: audienceOf['archive'] }, '400 invalid_target'],
        ['two services', { audience: 'archive' }, '400 invalid_target'],
        ['a code as a resource', { resource: 'ledger' }, '400 invalid_target'],
        ['the service itself', { resource: audienceOf['submissions-tool'] }, '400 invalid_target'],
        ['the administration', { resource: undefined, audience: 'iam' }, '400 invalid_target'],
        [
          'a public client',
          { client_id: 'submissions-web', client_secret: undefined },
          '400 unauthorized_client',
        ],
        ['a machine without the grant', { ...otherMachine }, '400 unauthorized_client'],
        ['a wrong secret', { client_secret: 'wrong' }, '401 invalid_client'],
      ]),
    )('%s', async (_, changes, error) => {
      expect(await refused(callers.first, await called(), changes)).toBe(error)
    })

    onOne.it('a parameter that is repeated', async () => {
      const form = new URLSearchParams({
        grant_type: exchangeGrant,
        subject_token_type: accessTokenType,
        audience: 'ledger',
        ...callers.first,
      })
      const subject = (await called()) ?? ''
      form.append('subject_token', subject)
      form.append('subject_token', subject)
      expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_request')
      form.delete('subject_token')
      form.append('subject_token', subject)
      must(await token(tessera.url, form), 200)
      form.append('audience', 'archive')
      expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_request')
    })

    it('whatever is no access token of a person', async () => {
      const { id_token, refresh_token } = await signedIn()
      expect(await refused(callers.first, id_token)).toBe('400 invalid_request')
      expect(await refused(callers.first, refresh_token)).toBe('400 invalid_request')
      expect(await refused(callers.first, await machineToken(tessera.url))).toBe('400 invalid_request')
    })

    it('a token that is not for the service that the client is', async () => {
      const other = await exchanged(callers.first, await called())
      expect(await refused(callers.first, other)).toBe('400 invalid_request')
      expect(await refused(callers.archive, await called(), { resource: audienceOf['vault'] })).toBe(
        '400 invalid_request',
      )
      const userinfoOnly = await called({ scope: 'openid' })
      expect(await refused(callers.first, userinfoOnly)).toBe('400 invalid_request')
    })

    it('one that has expired, was revoked, or whose session has ended', async () => {
      const expired = await called()
      tessera.clock.advance(901_000)
      expect(await refused(callers.first, expired)).toBe('400 invalid_request')
      const { access_token: revoked } = await signedIn()
      const form = { client_id: 'submissions-web', token: revoked ?? '' }
      await fetch(`${tessera.url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams(form) })
      expect(await refused(callers.first, revoked)).toBe('400 invalid_request')
    })
  })

  it('gives a token that is good for one service alone, and renews nothing', async () => {
    const made = await exchanged(callers.first, await called())
    expect((await userinfo(tessera.url, made)).status).toBe(403)
    const answer = await fetch(`${tessera.url}/admin/v1/me`, { headers: { authorization: `Bearer ${made}` } })
    expect(answer.status).toBe(401)
    expect(await toldOf(callers.first, made)).toMatchObject({ active: true, permissions: [read] })
    expect(await toldOf(otherMachine, made)).toMatchObject({ active: true, aud: audienceOf['ledger'] })
  })

  /** A change after which neither the exchange works nor what it gave counts, and the change that takes it back. */
  interface Ending {
    name: string
    path: string
    body: object
    back?: object
    /** What the exchange answers from then on. */
    error?: string
    /** What introspection tells of a token that was exchanged before. */
    told?: object
  }
  const reader = `/profiles/${profiles.bothReader}`
  const first = '/clients/submissions-tool-service'
  const endings: Ending[] = [
    { name: 'the profile is disabled', path: reader, body: { active: false }, back: { active: true } },
    {
      name: 'the person is disabled',
      path: `/users/${users.both}`,
      body: { active: false },
      back: { active: true },
    },
    { name: 'the role is disabled', path: '/roles/reader', body: { active: false }, back: { active: true } },
    {
      name: 'the first client is disabled',
      path: '/clients/submissions-web',
      body: { active: false },
      back: { active: true },
    },
    {
      name: 'the exchanging client is disabled',
      path: first,
      body: { active: false },
      back: { active: true },
      error: '401 invalid_client',
    },
    {
      name: 'the first client lets in others alone',
      path: '/clients/submissions-web',
      body: { allowed: { roles: ['importer'] } },
      back: { allowed: null },
    },
    {
      name: 'the exchanging client is moved to another organisation',
      path: first,
      body: { organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01' },
      back: { organisation_uuid: null },
    },
    {
      name: 'the first client loses the service',
      path: '/clients/submissions-web',
      body: { services: [] },
      back: { services: ['submissions-tool'] },
    },
    {
      name: 'the grant is taken',
      path: first,
      body: { grant_types: [], acts_as: null, exchange: null },
      back: {
        grant_types: [exchangeGrant],
        acts_as: 'submissions-tool',
        exchange: { services: ['ledger'], permissions: [read] },
      },
      error: '400 unauthorized_client',
    },
    {
      name: 'the target is taken',
      path: first,
      body: { exchange: { services: ['archive'], permissions: [] } },
      back: { exchange: { services: ['ledger'], permissions: [read] } },
      error: '400 invalid_target',
    },
    {
      name: 'it is another service',
      path: first,
      body: { acts_as: 'vault' },
      back: { acts_as: 'submissions-tool' },
    },
    {
      name: 'the audience of the target is another',
      path: '/services/ledger',
      body: { audience: 'https://elsewhere.example' },
      back: { audience: audienceOf['ledger'] },
      error: '400 invalid_target',
    },
    {
      name: 'the exchange is narrowed',
      path: first,
      body: { exchange: { services: ['ledger'], permissions: [] } },
      back: { exchange: { services: ['ledger'], permissions: [read] } },
      error: '200',
      told: { active: true, permissions: [] },
    },
    {
      name: 'the role loses the permission',
      path: '/roles/reader',
      body: { permissions: ['submissions-tool.vista-import.read'] },
      back: {
        permissions: [
          'submissions-tool.vista-import.read',
          read,
          'archive.files.read',
          'vault.files.read',
          'depot.files.read',
        ],
      },
      error: '200',
      told: { active: true, permissions: [] },
    },
  ]

  describe('ends, as what it gave does, when', () => {
    it.each(sampleOn(dialect, 5, endings))(
      '$name',
      async ({ path, body, back, error = '400 invalid_request', told = { active: false } }) => {
        const subject = await called()
        const made = await exchanged(callers.first, subject)
        const asking = path === first ? otherMachine : callers.first
        expect(await toldOf(asking, made)).toMatchObject({ active: true, permissions: [read] })
        must(await admin.patch(path, body), 200)
        try {
          const answer = await exchange(tessera.url, callers.first, subject)
          expect(answer.status === 200 ? '200' : refusalOf(answer)).toBe(error)
          const now = await toldOf(path === '/services/ledger' ? callers.first : asking, made)
          expect(now).toMatchObject(told)
        } finally {
          if (back !== undefined) must(await admin.patch(path, back), 200)
        }
        // What has ended stays so.
        if ('active' in body) expect(await toldOf(asking, made)).toEqual({ active: false })
      },
    )

    it('the person signs out', async () => {
      const subject = await called()
      const made = await exchanged(callers.first, subject)
      const { status } = await admin.delete(`/sessions/${String(claimsOf(subject).sid)}`)
      expect(status).toBe(204)
      expect(await toldOf(callers.first, made)).toEqual({ active: false })
      expect(await refused(callers.first, subject)).toBe('400 invalid_request')
    })

    it('a client of the middle of a chain is disabled, and stays so', async () => {
      const one = await exchanged(callers.first, await called())
      const two = await exchanged(callers.ledger, one, 'archive')
      const three = await exchanged(callers.archive, two, 'vault')
      expect(await toldOf(callers.archive, three)).toMatchObject({ active: true })
      must(await admin.patch('/clients/ledger-service', { active: false }), 200)
      must(await admin.patch('/clients/ledger-service', { active: true }), 200)
      expect(await toldOf(callers.archive, three)).toEqual({ active: false })
      expect(await toldOf(callers.first, one)).toMatchObject({ active: true })
      expect(await refused(callers.archive, two, { resource: audienceOf['vault'] })).toBe(
        '400 invalid_request',
      )
    })

    it('the profile is none of an exchanging client’s organisation', async () => {
      must(await admin.patch('/clients/archive-service', { organisation_uuid: acme }), 200)
      const two = await exchanged(callers.ledger, await exchanged(callers.first, await called()), 'archive')
      const three = await exchanged(callers.archive, two, 'vault')
      expect(claimsOf(three)).toMatchObject({ organisation_uuid: acme })
    })
  })
})

onOneDatabase('a service that is called with tokens that count no more', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_GRANTS: '3' })

  it('is not shut out by them', async () => {
    const admin = await Administrator.machine(tessera.url)
    const caller = await addExchanger(admin, exchangerBody('submissions-tool', ['ledger'], [read]))
    for (let time = 0; time < 5; time += 1)
      expect(refusalOf(await exchange(tessera.url, caller, 'nonsense'))).toBe('400 invalid_request')
    for (let time = 0; time < 3; time += 1)
      expect(refusalOf(await exchange(tessera.url, caller, 'x', { grant_type: 'client_credentials' }))).toBe(
        '400 unauthorized_client',
      )
    expect(refusalOf(await exchange(tessera.url, caller, 'nonsense'))).toMatch(/^429 /)
  })
})
