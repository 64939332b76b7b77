/** What an administrator learns of an upstream before anybody signs in, and what a directory has of who comes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { authorizeRequest, claimsOf } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { providerMetadata } from '../harness/saml-provider.ts'
import { makeDirectory } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { provider } from './saml-support.ts'
import { acme, placeOn } from './sign-in-support.ts'

onEachDatabase('an upstream', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const checked = async (uuid: string) => (await place.admin.post(`/upstreams/${uuid}/check`, {})).json

  const attention = async () => {
    const { items } = (await place.admin.get('/attention')).json as { items: { kind: string }[] }
    return items.filter(({ kind }) => kind === 'upstream_fails')
  }

  it('is looked at on demand: what is to be registered there, and what is wrong', async () => {
    expect(await checked(place.upstream)).toEqual({
      ok: true,
      problem: null,
      callback: `${place.url}/upstreams/${place.upstream}/callback`,
      metadata: null,
    })
    const away = await place.addUpstream(place.provider, { code: 'away', issuer: 'http://127.0.0.1:9' })
    expect(await checked(away)).toMatchObject({ ok: false, problem: expect.stringMatching(/^unreachable: /) })
    const other = `${place.provider.issuer}/other`
    const wrong = await place.addUpstream(place.provider, { code: 'wrong', issuer: other })
    expect(await checked(wrong)).toMatchObject({ ok: false, problem: expect.stringMatching(/^documents: /) })
    expect(await attention()).toEqual([])
    await place.browser().open(authorizeRequest({ upstream: 'acme/away' }).path)
    expect(await attention()).toMatchObject([
      { target: { kind: 'upstream', id: away, name: expect.stringMatching(/^Acme ID: unreachable: /) } },
    ])
    await place.change(`/upstreams/${away}`, { active: false })
    expect(await attention()).toEqual([])
    for (const uuid of [away, wrong]) await place.admin.delete(`/upstreams/${uuid}`)
  })

  it('reads the metadata that was given where somebody signs in', async () => {
    const said = { issuer: provider.entityID, metadata: providerMetadata(provider) }
    const own = { code: 'adfs', name: 'Acme ADFS', kind: 'saml', organisation_uuid: acme }
    const uuid = await place.make('/upstreams', { ...own, ...said })
    const left = await place.browser().open(authorizeRequest({ upstream: 'acme/adfs' }).path)
    expect(left.location).toContain(provider.sso)
    await place.admin.delete(`/upstreams/${uuid}`)
  })

  it('reads metadata anew at each look, whatever was read before', async () => {
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
