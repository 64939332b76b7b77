/** What is told of how clients prove who they are: what needs attention of it, and what a change would do. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { TestBrowser } from '../harness/browser.ts'
import { asked, registered } from '../oauth2/client-document-support.ts'
import { keyOf } from '../oauth2/workload-tokens.ts'
import { acme, Administrator, administeredOn, globex, heads, problemOf } from './support.ts'

const cluster = 'https://cluster.example'
const machine = { client_name: 'Robot', type: 'machine' }

onEachDatabase('what is told of the proofs of clients', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  let all: Administrator
  let own: Administrator
  let unit: Administrator
  let host: DocumentServer
  let jwks: object
  beforeAll(async () => {
    host = await DocumentServer.start()
    host.reset()
    jwks = { keys: [(await keyOf('ES256', 'own')).jwk] }
  })
  afterAll(async () => await host.close())
  // Their tokens end when the clock is moved.
  beforeEach(async () => {
    all = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    unit = await Administrator.person(tessera.url, heads.unitHead)
  })

  const told = async (who: Administrator, kind: string) =>
    ((await who.get('/attention')).json['items'] as { kind: string; target: { id: string; name: string } }[])
      .filter((one) => one.kind === kind)
      .map(({ target }) => target)
  const ids = async (who: Administrator, kind: string) => (await told(who, kind)).map(({ id }) => id)
  const declare = async (organisations: readonly string[] | undefined) => {
    const { etag } = await all.get('/assertion-issuers')
    const issuers = organisations === undefined ? [] : [{ issuer: cluster, organisations }]
    expect((await all.ask('PUT', '/assertion-issuers', { body: { issuers }, match: etag })).status).toBe(200)
  }
  const made = async (body: Record<string, unknown>) => {
    const { status, text } = await all.post('/clients', { ...machine, ...body })
    expect(status, text).toBe(201)
  }

  it('tells of clients whose issuer is gone, or proves none of their organisation any more', async () => {
    await declare([acme, globex])
    const of = (subject: string) => ({ federated: { issuer: cluster, subject } })
    await made({ client_id: 'everywhere', ...of('a') })
    await made({ client_id: 'in-acme', organisation_uuid: acme, ...of('b') })
    await made({ client_id: 'in-globex', organisation_uuid: globex, ...of('c') })
    await made({ client_id: 'off', active: false, ...of('d') })
    expect(await ids(all, 'issuer_missing')).toEqual([])
    await declare([globex])
    expect(await ids(all, 'issuer_missing')).toEqual(['in-acme'])
    expect(await told(own, 'issuer_missing')).toEqual([
      {
        kind: 'client',
        id: 'in-acme',
        name: `Robot: ${cluster} is no issuer that assertion_issuers of the installation declares for this organisation`,
      },
    ])
    await declare(undefined)
    expect(await ids(all, 'issuer_missing')).toEqual(['everywhere', 'in-acme', 'in-globex'])
    expect(await ids(own, 'issuer_missing')).toEqual(['in-acme'])
    expect(await ids(unit, 'issuer_missing')).toEqual([])
  })

  it('tells of a secret of a client that proves itself by keys, until it is removed or ends', async () => {
    await made({ client_id: 'moved', organisation_uuid: acme })
    await made({ client_id: 'by-secret', token_endpoint_auth_method: 'client_secret_basic', jwks })
    await made({ client_id: 'by-key', jwks })
    expect(await ids(all, 'secret_dormant')).toEqual([])
    expect((await all.patch('/clients/moved', { jwks })).status).toBe(200)
    expect(problemOf(await all.post('/clients/moved/secrets', {}))).toBe('409 conflict')
    expect(await ids(all, 'secret_dormant')).toEqual(['moved'])
    expect(await ids(own, 'secret_dormant')).toEqual(['moved'])
    expect(await ids(unit, 'secret_dormant')).toEqual([])
    const [secret] = (await all.get('/clients/moved')).json['secrets'] as { id: string }[]
    expect((await all.delete(`/clients/moved/secrets/${secret?.id}`)).status).toBe(204)
    expect(await ids(all, 'secret_dormant')).toEqual([])
  })

  it('tells of a document that can not be read, and no more once it is', async () => {
    const id = await registered(all, host)
    const open = async () => {
      tessera.clock.advance(5 * 60_000 + 1000)
      await new TestBrowser(tessera.url).open(asked(id).path)
      return await told(await Administrator.machine(tessera.url), 'document_fails')
    }
    expect(await open()).toEqual([])
    host.says['redirect_uris'] = ['https://evil.example/<script>\u202e']
    expect(await open()).toMatchObject([{ id, name: expect.stringContaining('it has the redirect URI') }])
    host.status = 404
    expect(await open()).toMatchObject([{ id, name: expect.stringContaining('answers 404') }])
    expect(await ids(await Administrator.machine(tessera.url, 'acme-cli'), 'document_fails')).toEqual([])
    host.reset()
    expect(await open()).toEqual([])
  })

  const tried = async (who: Administrator, method: string, path: string, body?: object) => {
    const match = method === 'POST' ? {} : { match: (await all.get(path)).etag }
    const sent = body === undefined ? match : { body, ...match }
    const { status, json, text } = await who.ask(method, `${path}?dry_run=true`, sent)
    expect(status, text).toBe(200)
    return json['proves']
  }
  const who = (subject: string) =>
    `whoever gets a token of ${cluster} with the subject ${JSON.stringify(subject)}`
  const nobody = (client_id: string) => ({ client_id, who: null, beware: [] })

  once.it(
    'says in a dry run of a client who may prove to be it by that, and where it is more than it looks',
    async () => {
      await declare([acme])
      const of = (subject: string) => ({ federated: { issuer: cluster, subject } })
      const added = { ...machine, client_id: 'tried', ...of('system:serviceaccount:prod:tried') }
      expect(await tried(all, 'POST', '/clients', added)).toEqual([
        {
          client_id: 'tried',
          who: `${who('system:serviceaccount:prod:tried')}, which pods get that run as the service account prod/tried`,
          beware: [expect.stringContaining('deleted and made anew')],
        },
      ])
      expect(await tried(own, 'PATCH', '/clients/in-acme', of('other'))).toEqual([
        { client_id: 'in-acme', who: who('other'), beware: [] },
      ])
      expect(await tried(all, 'PATCH', '/clients/in-acme', { federated: null, jwks })).toEqual([
        nobody('in-acme'),
      ])
      expect(await tried(all, 'PATCH', '/clients/in-acme', { active: false })).toEqual([nobody('in-acme')])
      expect(await tried(all, 'PATCH', '/clients/in-acme', { client_name: 'Renamed' })).toEqual([])
      expect(await tried(all, 'DELETE', '/clients/in-acme')).toEqual([])
      expect((await all.get('/clients/in-acme')).json).toMatchObject(of('b'))
    },
  )

  once.it('says in a dry run which further hosts a document may lead to, and what proves less', async () => {
    const id = await registered(all, host, { redirect_hosts: ['b.example'] })
    const path = `/clients/${encodeURIComponent(id)}`
    const weaker = async (to: string, body: object) => {
      const match = (await all.get(to)).etag
      return (await all.ask('PATCH', `${to}?dry_run=true`, { body, match })).json['weakens']
    }
    expect(await weaker(path, { redirect_hosts: ['a.example', 'b.example'] })).toEqual([
      { client_id: id, field: 'redirect_hosts', detail: expect.stringContaining('back to a.example') },
    ])
    expect(await weaker(path, { redirect_hosts: [] })).toEqual([])
    expect(await weaker('/clients/by-key', { assertion_audience: 'token_endpoint' })).toMatchObject([
      { client_id: 'by-key', field: 'assertion_audience' },
    ])
    expect(await weaker('/clients/by-key', { token_endpoint_auth_signing_alg: 'ES256' })).toEqual([])
  })

  once.it(
    'says in a dry run of the issuers which clients nobody proves to be any more, or somebody else',
    async () => {
      const issuers = async (of: object[]) => await tried(all, 'PUT', '/assertion-issuers', { issuers: of })
      expect(await issuers([])).toEqual([nobody('everywhere'), nobody('in-acme')])
      expect(await issuers([{ issuer: cluster, organisations: [acme] }])).toEqual([])
      expect(await issuers([{ issuer: cluster }])).toMatchObject([
        { client_id: 'everywhere', who: who('a') },
        nobody('in-acme'),
      ])
      const changes = [
        { method: 'PUT', path: '/assertion-issuers', body: { issuers: [] } },
        { method: 'PATCH', path: '/clients/everywhere', body: { federated: null, jwks } },
      ]
      const { json } = await all.post('/access/what-if', { changes })
      expect(json).toMatchObject({ refused: null, proves: [nobody('everywhere'), nobody('in-acme')] })
    },
  )
})
