/** What the operator of one organisation's provider must not reach. */
import { afterEach, expect, it } from 'vitest'
import { Administrator } from '../administration/support.ts'
import { authorizeRequest, claimsOf, signIn, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { machineToken } from '../harness/program.ts'
import { makeDirectory, setPolicy } from '../harness/states.ts'
import { Directory, person as scimPerson } from '../scim/support.ts'
import { codeOf } from '../sign-in/factor-support.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

const day = 86_400_000

onOneDatabase('the operator of a provider', (dialect) => {
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const groups = ['g']
  const both = [
    { role_code: 'importer', organisation_uuid: acme },
    { role_code: 'bookkeeper', organisation_uuid: globex },
  ]
  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  afterEach(() => setPolicy(place.tessera, { organisation: 'acme' }, null))

  /** Somebody of two organisations, whose acme subject is linked. */
  async function linkedOfBoth(more: object = { password }) {
    const ada = place.somebody()
    const made = await place.account(ada, both, more)
    const { visit, browser } = await place.signIn(ada)
    await browser.submit(await browser.submit(visit, { email: ada.email, password }), { choice: 'link' })
    expect(await place.admin.all(`/users/${made.uuid}/links`)).toHaveLength(1)
    return { ada, ...made }
  }

  it('locks nobody out elsewhere by a second factor that reaches no further than it', async () => {
    const { ada, profiles } = await linkedOfBoth({ password, email_verified: false })
    await setPolicy(place.tessera, { organisation: 'acme' }, { second_factor: 'required' })
    const hostile = place.browser()
    const request = authorizeRequest({ profile_uuid: profiles[0] })
    const left = await place.leave(hostile, request.path, ada.email)
    const page = await place.back(hostile, left, { ...ada, auth_time: place.provider.now() })
    expect(pathOf(page), textOf(page)).toBe('/sign-in/enrol')
    const secret = /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''
    const codes = await hostile.submit(page, { name: 'Mine', code: codeOf(place.tessera, 0, secret) })
    expect(codes.body).toMatch(/<li>\d+-/)
    await setPolicy(place.tessera, { organisation: 'acme' }, null)
    // Their own password still suffices for the other organisation.
    const own = await signIn(place.browser(), authorizeRequest({ profile_uuid: profiles[1] }).path, {
      email: ada.email,
      password,
    })
    expect(own.location ?? pathOf(own)).toMatch('code=')
  })

  it('lets a profile age that a directory gave as well, once that gives it no more', async () => {
    const made = await makeDirectory(place.tessera, {
      organisation_uuid: acme,
      mapping: [{ group: 'g-import', role: 'importer' }],
    })
    const scim = new Directory(place.tessera, await made.token())
    const ada = { ...place.somebody(), groups }
    const first = await place.tokens(ada)
    const sent = scimPerson('aging', { userName: ada.email, emails: [{ value: ada.email, primary: true }] })
    const { id } = await scim.post('/Users', sent)
    const group = (await scim.post('/Groups', { displayName: 'I', externalId: 'g-import' })).id
    await scim.patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: id }] })
    await scim.patch(`/Groups/${group}`, { op: 'remove', path: 'members', value: [{ value: id }] })
    const uuid = String(claimsOf(first.id_token).sub)
    const [profile] = await place.admin.all(`/profiles?user_uuid=${uuid}`)
    expect(profile).toBeDefined()
    await place.change(`/users/${uuid}`, { password })
    // A sign-in by mere password, long after anybody was proved by the upstream.
    place.tessera.clock.advance(8 * day)
    place.admin = await place.administrator()
    const visit = await signIn(place.browser(), authorizeRequest().path, { email: ada.email, password })
    expect(visit.location ?? pathOf(visit)).not.toMatch('code=')
  })

  it('ends nothing of an account that is no longer its own, by a subject that the directory names', async () => {
    const made = await makeDirectory(place.tessera, { organisation_uuid: acme, mapping: [] })
    const admin = await Administrator.machine(place.url)
    const named = await admin.patch(`/directories/${made.uuid}`, { subject: 'externalId' })
    expect(named.status, named.text).toBe(200)
    const scim = new Directory(place.tessera, await made.token())
    const ada = place.somebody()
    const { uuid } = await place.account(ada)
    const sent = scimPerson('moved', { userName: ada.email, emails: [{ value: ada.email, primary: true }] })
    const { id } = await scim.post('/Users', sent)
    // She leaves for another organisation, whose administrator sets her a password.
    for (const { uuid: one } of await admin.all(`/profiles?user_uuid=${uuid}`))
      await admin.delete(`/profiles/${String(one)}`)
    await admin.post('/profiles', { user_uuid: uuid, role_code: 'importer', organisation_uuid: globex })
    const owner = await ownerOfGlobex(admin)
    const set = await owner.patch(`/users/${uuid}`, { password: 'set by whom she works for' })
    expect(set.status, set.text).toBe(200)
    const own = { email: ada.email, password: 'set by whom she works for' }
    const before = await signIn(place.browser(), authorizeRequest().path, own)
    expect(before.location ?? textOf(before)).toMatch('code=')
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'externalId', value: 'mine' })
    await place.signIn({ ...place.somebody(), sub: 'mine' })
    const after = await signIn(place.browser(), authorizeRequest().path, own)
    expect(after.location ?? textOf(after)).toMatch('code=')
  })

  async function ownerOfGlobex(admin: Administrator): Promise<Administrator> {
    const { json: like } = await admin.get('/clients/acme-cli')
    const { json } = await admin.post('/clients', {
      ...{ client_id: 'globex-owner', client_name: 'Owner of Globex', type: 'machine' },
      organisation_uuid: globex,
      services: ['iam', 'submissions-tool', 'ledger'],
      permissions: [...(like.permissions as string[]), 'ledger.entry.read'],
    })
    const secret = { client_id: 'globex-owner', client_secret: String(json.client_secret) }
    return new Administrator(place.url, await machineToken(place.url, secret))
  }
})
