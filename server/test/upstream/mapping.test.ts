/** What people may do by what their organisation's provider says of them, from sign-in to sign-in (decisions 19). */
import { expect, it } from 'vitest'
import { problemOf } from '../administration/support.ts'
import { claimsOf } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { introspect, refresh } from '../harness/program.ts'
import { acme, type Claims, placeOn, textOf } from './sign-in-support.ts'

const hour = 3_600_000

const rules = [
  { group: 'g-import', role: 'importer', unit: 'intake' },
  { group: 'g-read', role: 'reader' },
  { claim: 'department', equals: 'books', role: 'bookkeeper' },
]

onEachDatabase('a mapping', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, { upstream: { provision: 'create', mapping: rules, recheck_days: 2 } })
  const setRules = async (mapping: readonly object[]) =>
    await place.change(`/upstreams/${place.upstream}`, { mapping })
  const later = async (hours: number) => {
    place.tessera.clock.advance(hours * hour)
    place.admin = await place.administrator()
  }
  /** Signs in; yields whose account it is. */
  const come = async (person: Claims): Promise<{ user: string; refresh: string; access: string }> => {
    const { visit, browser, request } = await place.signIn(person)
    const [first] = await rolesOf(
      String((await place.admin.all(`/users?q=${String(person.email)}`))[0]?.uuid),
    )
    const done =
      visit.location === undefined && new URL(visit.url).pathname === '/choose-profile'
        ? await browser.submit(visit, { profile_uuid: first?.uuid ?? '' })
        : visit
    const { json } = await place.redeem(done, request)
    const { sub } = claimsOf(json.id_token)
    return { user: String(sub), refresh: json.refresh_token ?? '', access: json.access_token ?? '' }
  }
  const rolesOf = async (user: string) =>
    (await place.admin.all(`/profiles?user_uuid=${user}`))
      .map((one) => ({ uuid: String(one.uuid), role: String(one.role_code) }))
      .toSorted((one, other) => (one.role < other.role ? -1 : 1))
  const roles = async (user: string) => (await rolesOf(user)).map(({ role }) => role)
  const refreshed = async (token: string) => {
    const { status, json } = await refresh(place.url, token)
    return status === 200 ? String(json.refresh_token) : String(json.error)
  }
  const changes = async (user: string) =>
    (await place.kindsOf(user)).filter((kind) => /mapped|unknown/.test(kind)).join(' ')

  it('gives profiles by groups and claims, letter by letter', async () => {
    const ada = place.somebody()
    const { user, access } = await come({
      ...ada,
      groups: ['g-import', 'G-READ', 'other'],
      department: 'books',
    })
    expect(await roles(user)).toEqual(['bookkeeper', 'importer'])
    expect(claimsOf(access).organisation_uuid).toBe(acme)
    expect(await changes(user)).toBe('profile.mapped profile.mapped')
    // The same again changes nothing.
    const before = await rolesOf(user)
    await come({ ...ada, groups: ['other', 'G-READ', 'g-import'], department: 'books' })
    expect(await rolesOf(user)).toEqual(before)
    expect(await changes(user)).toBe('profile.mapped profile.mapped')
  })

  it('gives no role that is made anew under the code of one that was removed', async () => {
    const role = { code: 'passing', name: 'Passing', permissions: [] as string[] }
    await place.make('/roles', role)
    await setRules([...rules, { group: 'g-pass', role: 'passing' }])
    const ada = place.somebody()
    const { user } = await come({ ...ada, groups: ['g-pass', 'g-read'] })
    expect(await roles(user)).toEqual(['passing', 'reader'])
    expect((await place.admin.delete('/roles/passing')).status).toBe(204)
    const { mapping } = (await place.admin.get(`/upstreams/${place.upstream}`)).json
    expect(mapping).toHaveLength(rules.length)
    await place.make('/roles', { ...role, permissions: ['iam.*'] })
    await come({ ...ada, groups: ['g-pass', 'g-read'] })
    expect(await roles(user)).toEqual(['reader'])
    await setRules(rules)
  })

  it('takes them with the group at the next sign-in, and what rests on them', async () => {
    const ada = place.somebody()
    const first = await come({ ...ada, groups: ['g-import'] })
    const token = await refreshed(first.refresh)
    const second = await come({ ...ada, groups: ['g-read'] })
    expect(await roles(first.user)).toEqual(['reader'])
    expect(await introspect(place.url, first.access)).toEqual({ active: false })
    expect(await refreshed(token)).toBe('invalid_grant')
    // A group by another name is another.
    const { visit } = await place.signIn({ ...ada, groups: ['g-read-renamed'] })
    expect([visit.status, visit.location]).toEqual([403, undefined])
    expect(await roles(first.user)).toEqual([])
    expect(await refreshed(second.refresh)).toBe('invalid_grant')
    expect(await changes(first.user)).toBe('profile.mapped profile.mapped profile.unmapped profile.unmapped')
  })

  it('ends nothing that was given by hand', async () => {
    const ada = place.somebody()
    const place_ = { organisation_uuid: acme, organisation_unit_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02' }
    const { uuid, profiles } = await place.account(ada, [{ role_code: 'importer', ...place_ }])
    await come({ ...ada, groups: ['g-import', 'g-read'] })
    expect(await roles(uuid)).toEqual(['importer', 'reader'])
    await come({ ...ada, groups: [] })
    expect(await rolesOf(uuid)).toEqual([{ uuid: profiles[0], role: 'importer' }])
    // And it does not age.
    await come({ ...ada, groups: ['g-import'] })
    const { refresh: token } = await come({ ...ada, groups: ['g-import'] })
    await later(72)
    expect(await refreshed(token)).not.toBe('invalid_grant')
  })

  it('counts at once when it is changed', async () => {
    const ada = { ...place.somebody(), groups: ['g-new', 'g-import'], cost: 'c1' }
    const { user, refresh: given } = await come(ada)
    expect(await roles(user)).toEqual(['importer'])
    await setRules([...rules, { group: 'g-new', role: 'reader' }])
    expect(await roles(user)).toEqual(['importer', 'reader'])
    expect(await refreshed(given)).not.toBe('invalid_grant')
    const { access } = await come(ada)
    // What nothing looked at was not kept: it counts from the next sign-in on, although nothing else is new.
    await setRules([{ claim: 'cost', equals: 'c1', role: 'reader' }])
    expect(await roles(user)).toEqual([])
    expect(await introspect(place.url, access)).toEqual({ active: false })
    await come(ada)
    expect(await roles(user)).toEqual(['reader'])
    await setRules(rules)
    expect(await roles(user)).toEqual(['importer'])
  })

  onOne.it('changes nothing where groups are unknown, which is told', async () => {
    const ada = place.somebody()
    const overage = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://x.example' } },
    }
    const first = await come({ ...ada, groups: ['g-import'] })
    await later(24)
    await come({ ...ada, ...overage })
    expect(await roles(first.user)).toEqual(['importer'])
    expect(await changes(first.user)).toBe('profile.mapped groups.unknown')
    // It renews nothing either.
    await later(25)
    expect(await refreshed(first.refresh)).toBe('invalid_grant')
    const other = place.somebody()
    const { visit } = await place.signIn({ ...other, ...overage })
    expect(visit.status).toBe(403)
    const [made] = await place.admin.all(`/users?q=${other.email}`)
    expect(await roles(String(made?.uuid))).toEqual([])
  })

  it('ages from the last sign-in, and lives again after another', async () => {
    const ada = { ...place.somebody(), groups: ['g-import'] }
    const { user, refresh: given } = await come(ada)
    await later(30)
    await come(ada)
    let token = await refreshed(given)
    // A changed mapping is no proof: it counts as long as before.
    await setRules([...rules, { group: 'g-else', role: 'reader' }])
    await later(30)
    token = await refreshed(token)
    expect(token).not.toBe('invalid_grant')
    await later(19)
    expect(await refreshed(token)).toBe('invalid_grant')
    const before = await rolesOf(user)
    await come(ada)
    expect(await rolesOf(user)).toEqual(before)
    expect(await refreshed(token)).not.toBe('invalid_grant')
    await setRules(rules)
  })

  it('is tried out: who would gain and lose what, before it is changed or goes with its upstream', async () => {
    const ada = place.somebody()
    const { user } = await come({ ...ada, groups: ['g-import'] })
    const path = `/upstreams/${place.upstream}`
    const tried = async (method: 'PATCH' | 'DELETE', body?: object) => {
      const { etag } = await place.admin.get(path)
      const { json } = await place.admin.ask(method, `${path}?dry_run=true`, { body, match: etag })
      const { users } = json.access as { users: Claims[] }
      return users.filter((one) => one.user_uuid === user)
    }
    const lost = { loses: ['submissions-tool.vista-import.create', 'submissions-tool.vista-import.read'] }
    expect(await tried('PATCH', { mapping: [] })).toMatchObject([{ gains: [], ...lost }])
    expect(
      await tried('PATCH', { mapping: [...rules, { group: 'g-import', role: 'reader' }] }),
    ).toMatchObject([
      {
        gains: ['ledger.entry.read', 'submissions-tool.vista-import.read'],
        loses: [],
        organisation_unit_uuid: null,
      },
    ])
    expect(await tried('DELETE')).toMatchObject([{ gains: [], ...lost }])
    expect(await tried('PATCH', { name: 'Renamed' })).toEqual([])
    expect(await roles(user)).toEqual(['importer'])
  })

  it('follows its unit, and is not removed by hand while it is given', async () => {
    const ada = { ...place.somebody(), groups: ['g-import'] }
    const { user } = await come(ada)
    const [held] = await rolesOf(user)
    const unit =
      '/organisations/5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01/units/5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02'
    const moved = { parent_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03' }
    const path = (await place.admin.get(unit)).status === 200 ? unit : unit.replace(/^.*\/units/, '/units')
    await place.change(path, moved)
    await come(ada)
    expect(await rolesOf(user)).toEqual([held])
    await place.change(path, { parent_uuid: null })
    const refused = await place.admin.delete(`/profiles/${held?.uuid}`)
    expect(problemOf(refused)).toMatch(/^409/)
    expect(await rolesOf(user)).toEqual([held])
    // Disabled by hand it stays so, whatever is said.
    await place.change(`/profiles/${held?.uuid}`, { active: false })
    const { visit } = await place.signIn({ ...ada, groups: ['g-import', 'more'] })
    expect([visit.status, visit.location, textOf(visit).length > 0]).toEqual([403, undefined, true])
    expect((await place.admin.get(`/profiles/${held?.uuid}`)).json.active).toBe(false)
  })
})
