/** What an administrator learns of an upstream before anybody signs in, and what a directory has of who comes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { authorizeRequest, claimsOf } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { LdapServer, trustDirectories } from '../harness/ldap-server.ts'
import { providerMetadata } from '../harness/saml-provider.ts'
import { makeDirectory } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { provider } from './saml-support.ts'
import { acme, placeOn } from './sign-in-support.ts'

interface Item {
  kind: string
  cure: string
  target: { id: string }
}

onEachDatabase('an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const checked = async (uuid: string) => (await place.admin.post(`/upstreams/${uuid}/check`, {})).json

  const attention = async () => {
    const { items } = (await place.admin.get('/attention')).json as { items: Item[] }
    return items.filter(({ kind }) => kind === 'upstream_fails')
  }

  it('is looked at on demand: what is to be registered there, and what is wrong', async () => {
    expect(await checked(place.upstream)).toEqual({
      ok: true,
      problem: null,
      callback: `${place.url}/upstreams/${place.upstream}/callback`,
      metadata: null,
      untried: expect.stringContaining('tessera upstream test'),
    })
    const away = await place.addUpstream(place.provider, { code: 'away', issuer: 'http://127.0.0.1:9' })
    expect(await checked(away)).toMatchObject({ ok: false, problem: expect.stringMatching(/^unreachable: /) })
    const other = `${place.provider.issuer}/other`
    const wrong = await place.addUpstream(place.provider, { code: 'wrong', issuer: other })
    expect(await checked(wrong)).toMatchObject({ ok: false, problem: expect.stringMatching(/^documents: /) })
    const failing = await attention()
    expect(failing.map(({ target }) => target.id).toSorted()).toEqual([away, wrong].toSorted())
    expect(failing.find(({ target }) => target.id === away)).toMatchObject({
      target: { kind: 'upstream', name: expect.stringMatching(/^Acme ID: unreachable: /) },
      since: expect.any(String),
    })
    await place.change(`/upstreams/${away}`, { active: false })
    expect(await attention()).toMatchObject([{ target: { id: wrong } }])
    for (const uuid of [away, wrong]) await place.admin.delete(`/upstreams/${uuid}`)
  })

  const documents = '/.well-known/openid-configuration'
  const stopped = { at: { [documents]: { status: 503, body: {} } } }
  const refusing = { at: { '/token': { status: 401, body: { error: 'invalid_client' } } } }
  const state = async (uuid = place.upstream) => (await place.admin.get(`/upstreams/${uuid}/state`)).json

  it('is told where a check finds that it fails, until one finds that it does not', async () => {
    place.provider.twists = stopped
    expect(await checked(place.upstream)).toMatchObject({ ok: false })
    const failing = { problem: expect.stringMatching(/^unreachable: /), failing_since: expect.any(String) }
    expect(await state()).toMatchObject(failing)
    expect(await attention()).toMatchObject([{ target: { id: place.upstream } }])
    place.provider.twists = {}
    expect(await checked(place.upstream)).toMatchObject({ ok: true })
    expect(await state()).toMatchObject({ problem: null, failing_since: null })
    expect(await attention()).toEqual([])
  })

  it('is told no more of documents that a sign-in could not read, once a check reads them', async () => {
    const fresh = await place.addUpstream(place.provider, { code: 'fresh' })
    place.provider.twists = stopped
    await place.browser().open(authorizeRequest({ upstream: 'acme/fresh' }).path)
    expect(await state(fresh)).toMatchObject({
      problem: expect.stringMatching(/^unreachable: /),
      failing_since: null,
    })
    place.provider.twists = {}
    await checked(fresh)
    expect(await state(fresh)).toMatchObject({ problem: null })
    await place.admin.delete(`/upstreams/${fresh}`)
  })

  it('stays told of a client that was refused: a check tries none', async () => {
    place.provider.twists = refusing
    await place.signIn(place.somebody())
    expect(await checked(place.upstream)).toMatchObject({ ok: true })
    const refused = { problem: expect.stringMatching(/^client_refused: /) }
    expect(await state()).toMatchObject(refused)
    const [item] = await attention()
    expect(item?.cure).toMatch(/client_refused.*tessera upstream test/)
    // Neither does a check forget it that a failure came before.
    place.provider.twists = stopped
    await checked(place.upstream)
    place.provider.twists = refusing
    await place.signIn(place.somebody())
    await checked(place.upstream)
    expect(await state()).toMatchObject({ ...refused, failing_since: null })
    place.provider.twists = {}
    await place.signIn(place.somebody())
    expect(await state()).toMatchObject({ problem: null })
  })

  onOne.it('is told of nothing where it is disabled, or the check is only tried out', async () => {
    place.provider.twists = stopped
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    expect(await checked(place.upstream)).toMatchObject({ ok: false })
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    expect((await place.admin.post(`/upstreams/${place.upstream}/check?dry_run=true`, {})).status).toBe(200)
    expect(await state()).toMatchObject({ problem: null, failing_since: null })
    place.provider.twists = {}
  })

  it('is a directory that a check finds closed, until a check gets in', async () => {
    trustDirectories()
    const server = new LdapServer()
    await server.listen('ldaps')
    const base = 'dc=acme,dc=example'
    const service = { dn: `cn=service,${base}`, password: 'a password' }
    server.entries = [{ dn: base }, service]
    const set = { url: server.url(), base, bind_dn: service.dn, bind_password: 'another password' }
    const own = { code: 'ad', name: 'Acme AD', kind: 'ldap', organisation_uuid: acme }
    const uuid = await place.make('/upstreams', { ...own, ...set })
    expect(await checked(uuid)).toMatchObject({ ok: false })
    expect(await checked(uuid)).toMatchObject({ ok: false })
    expect(await state(uuid)).toMatchObject({ problem: expect.stringMatching(/^client_refused: /) })
    expect(await attention()).toMatchObject([{ target: { id: uuid } }])
    const stops = (await place.audit({ target: uuid })).filter(({ kind }) => kind === 'sync.stopped')
    expect(stops).toHaveLength(1)
    await place.change(`/upstreams/${uuid}`, { bind_password: service.password })
    expect(await checked(uuid)).toMatchObject({ ok: true })
    expect(await state(uuid)).toMatchObject({ problem: null, failing_since: null })
    await server.close()
    await place.admin.delete(`/upstreams/${uuid}`)
    vi.restoreAllMocks()
  })

  onOne.it('reads the metadata that was given where somebody signs in', async () => {
    const said = { issuer: provider.entityID, metadata: providerMetadata(provider) }
    const own = { code: 'adfs', name: 'Acme ADFS', kind: 'saml', organisation_uuid: acme }
    const uuid = await place.make('/upstreams', { ...own, ...said })
    const left = await place.browser().open(authorizeRequest({ upstream: 'acme/adfs' }).path)
    expect(left.location).toContain(provider.sso)
    await place.admin.delete(`/upstreams/${uuid}`)
  })

  onOne.it('reads metadata anew at each look, whatever was read before', async () => {
    let status = 200
    const server = createServer((_, response) => response.writeHead(status).end(providerMetadata(provider)))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const metadata_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`
    const own = { code: 'rolled', name: 'Acme SAML', kind: 'saml', organisation_uuid: acme }
    const uuid = await place.make('/upstreams', { ...own, issuer: provider.entityID, metadata_url })
    expect(await checked(uuid)).toMatchObject({ ok: true })
    status = 404
    expect(await checked(uuid)).toMatchObject({ ok: false, problem: expect.stringMatching(/404/) })
    const left = await place.browser().open(authorizeRequest({ upstream: 'acme/rolled' }).path)
    expect(left.location).toContain(provider.sso)
    server.close()
    await place.admin.delete(`/upstreams/${uuid}`)
  })

  it('brings who waits in a directory, with what that says of them', async () => {
    const mapping = [{ group: 'readers', role: 'reader' }]
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme, mapping })
    await place.change(`/directories/${made.uuid}`, { subject: 'externalId' })
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const sent = { userName: 'ada', externalId: ada.sub, emails: [{ value: 'ada@elsewhere.example' }] }
    const { id } = await scim.post('/Users', scimPerson('waiting', sent))
    const group = (await scim.post('/Groups', { displayName: 'Readers', externalId: 'readers' })).id
    await scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] })
    const first = await place.tokens(ada)
    expect(claimsOf(first.access_token)).toMatchObject({ role_code: 'reader' })
    // From then on the directory ends what it gave, and what anybody else gave in the organisation.
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    const uuid = String(claimsOf(first.id_token).sub)
    expect(await place.kindsOf(uuid)).toEqual(
      expect.arrayContaining(['person.provisioned', 'link.created', 'profile.mapped', 'person.suspended']),
    )
    expect((await place.admin.get(`/users/${uuid}`)).json).toMatchObject({ active: false })
  })
})
