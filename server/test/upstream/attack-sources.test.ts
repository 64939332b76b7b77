/** What several sources of one organisation must not do to each other's people. */
import { expect, it } from 'vitest'
import { authorizeRequest, claimsOf } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { makeDirectory } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { acme, placeOn } from './sign-in-support.ts'

onOneDatabase('sources of one organisation', (dialect) => {
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })

  it('keep what was disabled by hand', async () => {
    const ada = { ...place.somebody(), groups: ['g'] }
    const uuid = String(claimsOf((await place.tokens(ada)).id_token).sub)
    const [profile] = await place.admin.all(`/profiles?user_uuid=${uuid}`)
    const path = `/profiles/${String(profile?.uuid)}`
    await place.change(path, { active: false })
    await place.signIn({ ...ada, groups: ['g', 'h'] })
    expect((await place.admin.get(path)).json).toMatchObject({ active: false })
    // Away and back: by hand it stays disabled.
    await place.signIn({ ...ada, groups: [] })
    await place.signIn({ ...ada, groups: ['g'] })
    const after = await place.admin.all(`/profiles?user_uuid=${uuid}`)
    expect(after.filter((one) => one.active === true)).toEqual([])
  })

  it('have subjects of their own: those of a second provider are no ids of the directory', async () => {
    const second = await place.addUpstream(place.provider, { code: 'contractors', name: 'Contractors' })
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme })
    await place.admin.patch(`/directories/${made.uuid}`, { subject: 'externalId' })
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    const emails = [{ value: ada.email, primary: true }]
    await scim.post('/Users', scimPerson('numbered', { userName: ada.email, externalId: '1001', emails }))
    const browser = place.browser()
    const left = await browser.open(authorizeRequest({ upstream: 'acme/contractors' }).path)
    await place.back(browser, left, { ...place.somebody(), sub: '1001' })
    const links = await place.admin.all(`/users/${uuid}/links`)
    await place.admin.delete(`/upstreams/${second}`)
    expect(links).toEqual([])
  })

  it('refuse that what they give is removed by hand', async () => {
    const ada = { ...place.somebody(), groups: ['g'] }
    const uuid = String(claimsOf((await place.tokens(ada)).id_token).sub)
    const [profile] = await place.admin.all(`/profiles?user_uuid=${uuid}`)
    const answer = await place.admin.delete(`/profiles/${String(profile?.uuid)}`)
    expect(answer.status).toBeGreaterThanOrEqual(400)
  })
})
