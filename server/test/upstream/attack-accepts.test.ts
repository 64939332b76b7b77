/** How far a proof reaches when what it rests on changes hands. */
import { expect, it } from 'vitest'
import { authorizeRequest, claimsOf, formOn, post, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
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
})
