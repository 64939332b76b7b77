/** Permitted steps of directories, providers and people, in orders that nobody meant. */
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, claimsOf, post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { acme, globex, password, placeOn } from '../upstream/sign-in-support.ts'
import { accountWith, Directory, directoryIn, person } from './support.ts'

onOneDatabase('an account that a directory knows', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const mapping = [{ group: 'g', role: 'importer' }]
  let scim: Directory
  let group: string
  const own = (email: string, more: object = {}) =>
    person(email.split('@')[0] ?? '', { userName: email, emails: [{ value: email, type: 'work' }], ...more })
  const join = (id: string) =>
    scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] })
  const whoIs = async (somebody: { email: string; sub: string }) =>
    claimsOf((await place.tokens(somebody)).access_token).sub
  const refused = async (somebody: { email: string; sub: string }) =>
    (await place.signIn(somebody)).visit.location ?? ''

  beforeAll(async () => {
    scim = await directoryIn(place.tessera, { organisation_uuid: acme, mapping })
    group = (await scim.post('/Groups', { displayName: 'G', externalId: 'g' })).id
  })

  it('opens to nobody who has the address that a directory moved it from', async () => {
    const ada = place.somebody()
    const { id } = await scim.post('/Users', own(ada.email))
    await join(id)
    const before = await whoIs(ada)
    const moved = `moved-${ada.email}`
    const path = 'emails[type eq "work"].value'
    await scim.patch(`/Users/${id}`, { op: 'replace', path, value: moved })
    const other = { ...place.somebody(), email: ada.email }
    expect(await refused(other)).not.toContain('code=')
    // Nor to another subject with the address that it has now.
    expect(await refused({ ...place.somebody(), email: moved })).not.toContain('code=')
    expect(await whoIs({ ...ada, email: moved })).toBe(before)
  })

  it('opens to no other subject when it comes back after a removal', async () => {
    const ada = place.somebody()
    const sent = own(ada.email)
    const { id } = await scim.post('/Users', sent)
    await join(id)
    const before = await whoIs(ada)
    await scim.delete(`/Users/${id}`)
    expect(await refused(ada)).not.toContain('code=')
    expect(await refused({ ...place.somebody(), email: ada.email })).not.toContain('code=')
    const back = await scim.post('/Users', sent)
    expect(back.status).toBe(201)
    await join(back.id)
    expect(await refused({ ...place.somebody(), email: ada.email })).not.toContain('code=')
    expect(await whoIs(ada)).toBe(before)
  })

  it('gets nothing by the resource of somebody else that takes its address', async () => {
    const [ada, eve] = [place.somebody(), place.somebody()]
    const { uuid } = await place.account(ada, [{ role_code: 'reader', organisation_uuid: globex }])
    const { id } = await scim.post('/Users', own(eve.email))
    await join(id)
    const who = await whoIs(eve)
    const path = 'emails[type eq "work"].value'
    await scim.patch(
      `/Users/${id}`,
      { op: 'replace', path, value: ada.email },
      { op: 'replace', path: 'userName', value: ada.email },
    )
    expect(await accountWith(place.tessera, uuid)).toMatchObject({ email: ada.email, active: true })
    expect(await whoIs(eve)).toBe(who)
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    expect(await accountWith(place.tessera, uuid)).toMatchObject({ active: true })
    const elsewhere = authorizeRequest()
    const browser = place.browser()
    const visit = await browser.submit(await browser.open(elsewhere.path), { email: ada.email, password })
    expect(claimsOf((await place.redeem(visit, elsewhere)).json.access_token).sub).toBe(uuid)
  })

  it('keeps what is elsewhere out of reach of a directory that owned it before', async () => {
    const ada = place.somebody()
    const { id } = await scim.post('/Users', own(ada.email))
    await join(id)
    const uuid = String(await whoIs(ada))
    // Of somebody who may do everything, it proves whose the account is.
    await place.change(`/users/${uuid}`, { password })
    const profile = await place.make('/profiles', {
      user_uuid: uuid,
      role_code: 'reader',
      organisation_uuid: globex,
    })
    const path = 'emails[type eq "work"].value'
    await scim.patch(`/Users/${id}`, { op: 'replace', path, value: `x-${ada.email}` })
    expect((await accountWith(place.tessera, uuid)).email).toBe(ada.email)
    const { visit, request } = await place.signIn(ada, { changes: { profile_uuid: profile } })
    if (visit.location?.includes('code='))
      expect(claimsOf((await place.redeem(visit, request)).json.access_token).profile_uuid).not.toBe(profile)
    await scim.delete(`/Users/${id}`)
    expect(await accountWith(place.tessera, uuid)).toMatchObject({ active: true })
  })

  it('gives nothing of a second directory when the first one has ended it', async () => {
    const ada = place.somebody()
    const second = await directoryIn(place.tessera, {
      organisation_uuid: acme,
      mapping: [{ group: 'h', role: 'importer' }],
    })
    const other = (await second.post('/Groups', { displayName: 'H', externalId: 'h' })).id
    const one = await scim.post('/Users', own(ada.email))
    await join(one.id)
    const two = await second.post('/Users', own(ada.email))
    await second.patch(`/Groups/${other}`, { op: 'add', path: 'members', value: [{ value: two.id }] })
    const tokens = await place.tokens(ada)
    await scim.patch(`/Users/${one.id}`, { op: 'replace', path: 'active', value: false })
    const form = {
      grant_type: 'refresh_token',
      client_id: 'submissions-web',
      refresh_token: tokens.refresh_token ?? '',
    }
    expect((await post(`${place.url}/oauth2/token`, form)).status).toBe(400)
    // The second says that the person is there, and lifts nothing of the first.
    await second.patch(`/Users/${two.id}`, { op: 'replace', path: 'active', value: false })
    await second.patch(`/Users/${two.id}`, { op: 'replace', path: 'active', value: true })
    expect(await refused(ada)).not.toContain('code=')
  })
})
