/** Guests, domains, acceptance and break-glass after one another: nobody comes in as somebody else, or further than before. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, claimsOf } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { setOrganisation, setPolicy } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { directoryIn, person as scimPerson } from '../scim/support.ts'
import { importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { arriveWithCode, type } from './guest-support.ts'
import { acme, globex, password, placeOn } from './sign-in-support.ts'

onOneDatabase('an account whose domain changes hands', (dialect) => {
  const mapping = [{ group: 'g', role: 'importer' }]
  const place = placeOn(dialect, { upstream: { provision: 'create', guests: true, mapping } })
  const theirs = new UpstreamProvider()
  beforeAll(async () => {
    await theirs.listen()
    theirs.now = place.provider.now
    const own = { code: 'theirs', name: 'Globex ID', organisation_uuid: globex, provision: 'create' }
    await place.addUpstream(theirs, { ...own, mapping: [{ group: 'g', role: 'reader' }] })
  })
  afterAll(() => theirs.close())
  const give = async (name: string, to: string) =>
    await place.make('/domains', { name, organisation_uuid: to, given: true })
  // A password of somebody who may do everything proves whose the account is.
  const proved = async (uuid: string) => await place.change(`/users/${uuid}`, { password })
  const reader = (user_uuid: string) =>
    place.make('/profiles', { user_uuid, role_code: 'reader', organisation_uuid: globex })
  /** Comes by an upstream, and asks for a profile; yields the one that they act under, if any. */
  const enters = async (
    person: { sub: string; email: string },
    profile_uuid: string,
    upstream: 'acme/entra' | 'globex/theirs' = 'acme/entra',
  ) => {
    const request = authorizeRequest({ upstream, profile_uuid })
    const browser = place.browser()
    const provider = upstream === 'acme/entra' ? place.provider : theirs
    const page = await place.back(browser, await browser.open(request.path), person, provider)
    if (page.location?.includes('code=') !== true) return undefined
    const { json } = await place.redeem(page, request)
    return claimsOf(json.access_token).profile_uuid
  }

  it('lets a guest who is owned now no further by the upstream that let them in', async () => {
    const ada = { ...place.somebody('later.example'), groups: ['g'] }
    const first = await arriveWithCode(place, ada)
    const { json } = await place.redeem(await type(first, first.code), first.request)
    const uuid = String(claimsOf(json.access_token).sub)
    await give('later.example', globex)
    await proved(uuid)
    const profile = await reader(uuid)
    expect(await enters(ada, profile)).toBeUndefined()
    expect(await enters({ ...ada, sub: 'another' }, profile)).toBeUndefined()
    expect(await enters({ ...ada, sub: 'another' }, profile, 'globex/theirs')).toBeUndefined()
  })

  it('gives nothing elsewhere by groups of an upstream that is accepted', async () => {
    await setOrganisation(place.tessera, globex, { accepts: [acme] })
    const ada = { ...place.somebody(), groups: ['g'] }
    const tokens = await place.tokens(ada)
    const uuid = String(claimsOf(tokens.access_token).sub)
    const held = (await place.admin.all(`/profiles?user_uuid=${uuid}`)) as { organisation_uuid: string }[]
    expect(held.map((one) => one.organisation_uuid)).toEqual([acme])
    await proved(uuid)
    const profile = await reader(uuid)
    expect(await enters(ada, profile)).toBe(profile)
    await setOrganisation(place.tessera, globex, { accepts: [] })
    expect(await enters(ada, profile)).toBeUndefined()
  })

  it('lets nobody in by break-glass who came by the upstream of a later owner', async () => {
    await importEnrolled(place.tessera, ['glass'], 'importer')
    const { email } = personOf('glass')
    const [{ uuid }] = (await place.admin.all(`/users?q=${email}`)) as [{ uuid: string }]
    const [own] = (await place.admin.all(`/profiles?user_uuid=${uuid}`)) as [{ uuid: string }]
    await setOrganisation(place.tessera, acme, { breakGlass: [uuid] })
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    await give('factors.example', globex)
    await reader(uuid)
    expect(await enters({ sub: 'thief', email }, own.uuid, 'globex/theirs')).toBeUndefined()
    const scim = await directoryIn(place.tessera, {
      organisation_uuid: globex,
      mapping: [{ group: 'x', role: 'reader' }],
    })
    const made = await scim.post(
      '/Users',
      scimPerson('glass', { userName: email, emails: [{ value: email, type: 'work' }] }),
    )
    await scim.patch(`/Users/${made.id}`, { op: 'replace', path: 'active', value: false })
    await scim.patch(`/Users/${made.id}`, {
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: 'glass2@factors.example',
    })
    expect((await place.admin.get(`/users/${uuid}`)).json.active).toBe(true)
    await setPolicy(place.tessera, { organisation: 'acme' }, null)
  })

  it('keeps a link by hand within its organisation', async () => {
    const ada = place.somebody('hands.example')
    const { uuid, profiles } = await place.account(ada)
    const second = await arriveWithCode(place, { ...ada })
    const asked = await type(second, second.code)
    const connect = await second.browser.submit(asked, { email: ada.email, password })
    await second.browser.submit(connect, { choice: 'link' })
    await give('hands.example', globex)
    const profile = await reader(uuid)
    expect(await enters(ada, profile)).toBeUndefined()
    const [own = ''] = profiles
    expect(await enters(ada, own)).toBe(own)
    const thief = { ...ada, sub: 'thief-of-hands' }
    expect(await enters(thief, own)).toBeUndefined()
    expect(await enters(thief, own, 'globex/theirs')).toBeUndefined()
  })
})
