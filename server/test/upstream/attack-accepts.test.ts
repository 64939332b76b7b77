/** How far a proof reaches when what it rests on changes hands. */
import { expect, it, vi } from 'vitest'
import { authorizeRequest, claimsOf, formOn, post, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { shownTo } from '../harness/development-mail.ts'
import { makeDirectory, setPolicy } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { acme, globex, password, placeOn } from './sign-in-support.ts'

onOneDatabase('the reach of a proof', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const refresh = async (refresh_token: string, more: object = {}) =>
    await post(`${place.url}/oauth2/token`, {
      ...{ grant_type: 'refresh_token', client_id: 'submissions-web', refresh_token },
      ...more,
    })

  async function linked() {
    const ada = place.somebody()
    const made = await place.account(ada, [
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'importer', organisation_uuid: globex },
    ])
    const { visit, browser } = await place.signIn(ada)
    await browser.submit(await browser.submit(visit, { email: ada.email, password }), { choice: 'link' })
    return { ada: { ...ada, auth_time: place.provider.now() }, ...made }
  }

  it('ends when an organisation withdraws what it accepts', async () => {
    const { ada, profiles } = await linked()
    const changes = { profile_uuid: profiles[1] }
    await place.change(`/organisations/${globex}`, { accepts: [acme] })
    const tokens = await place.tokens(ada, { changes })
    expect(claimsOf(tokens.access_token).profile_uuid ?? profiles[1]).toBe(profiles[1])
    await place.change(`/organisations/${globex}`, { accepts: [] })
    expect((await refresh(tokens.refresh_token ?? '')).status).toBe(400)
  })

  it('takes no profile beyond it by a refresh or a form', async () => {
    const { ada, profiles } = await linked()
    const tokens = await place.tokens(ada, { changes: { profile_uuid: profiles[0] } })
    const switched = await refresh(tokens.refresh_token ?? '', { profile_uuid: profiles[1] })
    expect(switched.status).toBe(400)
    // The form of another sign-in names the profile that is not offered.
    const browser = place.browser()
    const left = await place.leave(browser, authorizeRequest({ prompt: 'select_account' }).path, ada.email)
    const page: Visit = await place.back(browser, left, ada)
    expect(page.location ?? page.url).toBeDefined()
    if (page.location === undefined) {
      const { hidden } = formOn(page)
      const sent = await browser.request(page.url, { form: { ...hidden, profile: profiles[1] ?? '' } })
      expect(sent.location ?? '').not.toMatch('code=')
    }
  })

  it('lets no device act under a profile beyond it', async () => {
    const { ada, profiles } = await linked()
    const tokens = await place.tokens(ada, { changes: { profile_uuid: profiles[0] } })
    await place.change(`/upstreams/${place.upstream}`, { active: false })
    const over = await refresh(tokens.refresh_token ?? '')
    const introspected = await fetch(`${place.url}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    await place.change(`/upstreams/${place.upstream}`, { active: true })
    expect([over.status, introspected.status]).toEqual([400, 401])
  })

  it('ends no session that an own proof holds up elsewhere, by a logout of the provider', async () => {
    const { ada, profiles } = await linked()
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    const browser = place.browser()
    const path = authorizeRequest({ profile_uuid: profiles[0] }).path
    const left = await browser.submit(await browser.open(path), { email: ada.email, password })
    expect((await place.back(browser, left, { ...ada, sid: 'there' })).location).toMatch('code=')
    const elsewhere = () => browser.open(authorizeRequest({ profile_uuid: profiles[1], prompt: 'none' }).path)
    expect((await elsewhere()).location).toMatch('code=')
    const logout_token = await place.provider.logoutToken({ sid: 'there' })
    const sent = await post(`${place.url}/upstreams/${place.upstream}/logout`, { logout_token })
    expect(sent.status).toBe(200)
    await setPolicy(place.tessera, { organisation: 'acme' }, null)
    expect((await elsewhere()).location).toMatch('code=')
  })

  it('tells the earlier address that a directory moved it', async () => {
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme })
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    await place.account(ada)
    const sent = scimPerson('told', { userName: ada.email, emails: [{ value: ada.email, type: 'work' }] })
    const { id } = await scim.post('/Users', sent)
    const path = 'emails[type eq "work"].value'
    const moved = await scim.patch(`/Users/${id}`, { op: 'replace', path, value: `new-${ada.email}` })
    expect(moved.status).toBe(200)
    await vi.waitFor(async () => expect(await shownTo(place.tessera, ada.email)).not.toEqual([]), 60_000)
  })
})
