/** What the operator of a provider must not make of levels, of what was added, and of what was removed. */
import { expect, it, vi } from 'vitest'
import { authorizeRequest, claimsOf, formOn, signIn } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo, shownTo } from '../harness/development-mail.ts'
import { makeDirectory, setPolicy } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { acme, globex, password, placeOn } from './sign-in-support.ts'

onOneDatabase('levels and ends of a provider', (dialect) => {
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const groups = ['g']

  it('counts no level of a mapping from before the installation trusted another', async () => {
    const ada = { ...place.somebody(), groups, acr: 'silver', auth_time: place.provider.now() }
    await place.change(`/upstreams/${place.upstream}`, { assurance: { silver: 'phr' } })
    const browser = place.browser()
    const before = await place.tokens(ada, { browser })
    expect(claimsOf(before.access_token).acr).toBe('1')
    // The installation looks at what is there now, and trusts that.
    await place.change(`/upstreams/${place.upstream}`, { assurance: { gold: '2' } })
    await place.change(`/upstreams/${place.upstream}`, { assurance_trusted: true })
    const request = authorizeRequest()
    const again = await browser.open(request.path)
    const { json } = await place.redeem(again, request)
    expect(claimsOf(json.access_token).acr).toBe('1')
  })

  const bothProfiles = [
    { role_code: 'importer', organisation_uuid: acme },
    { role_code: 'bookkeeper', organisation_uuid: globex },
  ]

  it('undoes no deletion of a whole account', async () => {
    await setPolicy(place.tessera, {}, { self_deletion: true })
    const ada = place.somebody()
    const { uuid } = await place.account(ada, bothProfiles)
    const { visit, browser: own } = await place.signIn(ada)
    await own.submit(await own.submit(visit, { email: ada.email, password }), { choice: 'link' })
    const page = await own.open('/account/deletion')
    const { csrf = '' } = formOn(page).hidden
    await own.request(page.url, { form: { csrf, do: 'request' } })
    const state = async () => (await place.admin.get(`/users/${uuid}`)).json
    expect(await state()).toMatchObject({ active: false })
    const { visit: leaving, browser } = await place.signIn({ ...ada, auth_time: place.provider.now() })
    await browser.submit(leaving, { choice: 'keep' }).catch(() => undefined)
    expect(await state()).toMatchObject({ active: false })
  })

  it('enables nobody whom the directory sent away, by an undone deletion', async () => {
    await setPolicy(place.tessera, {}, { self_deletion: true })
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme })
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    const sent = scimPerson('undone', { userName: ada.email, emails: [{ value: ada.email }] })
    const { id } = await scim.post('/Users', sent)
    const own = place.browser()
    await signIn(own, authorizeRequest().path, { email: ada.email, password })
    const page = await own.open('/account/deletion')
    const { csrf = '' } = formOn(page).hidden
    await own.request(page.url, { form: { csrf, do: 'request' } })
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    const browser = place.browser()
    const leaving = await signIn(browser, authorizeRequest().path, { email: ada.email, password })
    await browser.submit(leaving, { choice: 'keep' }).catch(() => undefined)
    expect((await place.admin.get(`/users/${uuid}`)).json).toMatchObject({ active: false })
  })

  it('returns nobody who was sent away, when the directory is removed', async () => {
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme })
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    const sent = scimPerson('fired', { userName: ada.email, emails: [{ value: ada.email }] })
    const { id } = await scim.post('/Users', sent)
    await scim.delete(`/Users/${id}`)
    expect((await place.admin.get(`/users/${uuid}`)).json).toMatchObject({ active: false })
    expect((await place.admin.delete(`/directories/${made.uuid}`)).status).toBe(204)
    const visit = await signIn(place.browser(), authorizeRequest().path, { email: ada.email, password })
    expect(visit.location ?? '').not.toMatch('code=')
  })
})

onOneDatabase('links and fields of a provider', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const bothProfiles = [
    { role_code: 'importer', organisation_uuid: acme },
    { role_code: 'bookkeeper', organisation_uuid: globex },
  ]

  it('keeps no link that a thief of the password made, once the password is reset', async () => {
    const ada = place.somebody()
    const { uuid } = await place.account(ada, bothProfiles)
    // The thief has the password, and is at the provider who says to be her.
    const { visit, browser: thief } = await place.signIn({ ...ada, sub: 'thief' })
    await thief.submit(await thief.submit(visit, { email: ada.email, password }), { choice: 'link' })
    expect(await place.admin.all(`/users/${uuid}/links`)).toHaveLength(1)
    const own = place.browser()
    await own.submit(await own.open('/sign-in/forgotten'), { email: ada.email })
    const link = linkIn(await mailTo(place.tessera, ada.email, 'assword'))
    const typed = { password: 'another long one of hers', password_again: 'another long one of hers' }
    const done = await own.submit(await own.open(link), typed)
    expect(done.status).toBe(200)
    expect(await place.admin.all(`/users/${uuid}/links`)).toEqual([])
  })

  it('tells the person of a link to an account that there was', async () => {
    const ada = place.somebody()
    await place.account(ada)
    await place.signIn(ada)
    await vi.waitFor(async () => expect(await shownTo(place.tessera, ada.email)).not.toEqual([]), 3000)
  })

  it('lets nobody change by hand what a directory keeps', async () => {
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme })
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    const sent = scimPerson('kept', { userName: ada.email, emails: [{ value: ada.email }] })
    const { id } = await scim.post('/Users', sent)
    // Whoever takes themself out of the domains is owned no more, and no end of the directory ends the account.
    const moved = await place.admin.patch(`/users/${uuid}`, { email: `${ada.sub}@elsewhere.example` })
    expect(moved.status).toBeGreaterThanOrEqual(400)
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false })
    expect((await place.admin.get(`/users/${uuid}`)).json).toMatchObject({ active: false })
  })
})
