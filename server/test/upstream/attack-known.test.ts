/** What is set up or allowed by a proof of small reach does not count for the whole person. */
import { expect, it } from 'vitest'
import { authorizeRequest, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { makeDirectory } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

onOneDatabase('a session of small reach', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  it('allows no application the rest of the person', async () => {
    const uri = 'http://127.0.0.1:4001/third'
    const made = await place.admin.post('/clients', {
      ...{ client_id: 'third-party', client_name: 'Third party', type: 'public', first_party: false },
      ...{ redirect_uris: [uri], scope: 'openid email profile', organisation_uuid: null },
    })
    expect(made.status, made.text).toBe(201)
    const ada = place.somebody()
    const { profiles } = await place.account(ada, [
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'importer', organisation_uuid: globex },
    ])
    const { visit, browser } = await place.signIn(ada)
    await browser.submit(await browser.submit(visit, { email: ada.email, password }), { choice: 'link' })
    const changes = { client_id: 'third-party', redirect_uri: uri, scope: 'openid email profile' }
    const hostile = place.browser()
    const left = await place.leave(
      hostile,
      authorizeRequest({ ...changes, profile_uuid: profiles[0] }).path,
      ada.email,
    )
    const asks = await place.back(hostile, left, { ...ada, auth_time: place.provider.now() })
    expect(pathOf(asks), textOf(asks)).toMatch('consent')
    await hostile.submit(asks, { choice: 'allow' })
    const own = await browser.open(authorizeRequest({ ...changes, profile_uuid: profiles[1] }).path)
    expect(own.location ?? pathOf(own)).not.toMatch('code=')
  })

  it('takes no subject for another that differs by its letters', async () => {
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme })
    const named = await place.admin.patch(`/directories/${made.uuid}`, { subject: 'userName' })
    expect(named.status, named.text).toBe(200)
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    const sent = scimPerson('cased', { userName: 'ada-cased', emails: [{ value: ada.email, primary: true }] })
    expect((await scim.post('/Users', sent)).status).toBe(201)
    // Another person of the same provider, whose subjects have upper and lower case.
    await place.signIn({ ...place.somebody(), sub: 'ADA-CASED' })
    expect(await place.admin.all(`/users/${uuid}/links`)).toEqual([])
  })
})
