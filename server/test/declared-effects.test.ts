import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyDeclared } from '../src/declared/apply.ts'
import { planDeclared } from '../src/declared/plan.ts'
import { iamPermissions } from '../src/protocol/permission.ts'
import { Problem } from '../src/protocol/problem.ts'
import { listHolders } from '../src/store/admin/access.ts'
import type { Store } from '../src/store/open.ts'
import { forEachDatabase, parse } from './declared-support.ts'
import { clearDeclared, installation, quickPasswords } from './declared-tree.ts'

const now = 10_000
const settings = { now, ...quickPasswords }
const everywhere = { organisationUuid: undefined, unitUuid: undefined }

interface Tree {
  roles: { permissions: string[]; active?: boolean }[]
  organisations: { active?: boolean; units: { active?: boolean }[] }[]
  users: { active?: boolean; profiles: { role: string; active?: boolean; expires_at?: string }[] }[]
  clients: { type: string; active?: boolean; permissions?: string[] }[]
  services: { permissions: { code: string }[] }[]
}

/** The same file, in which some are disabled or enabled, and roles, profiles and machines have some of what there is. */
function changed(before: Tree, g: fc.GeneratorValue): Tree {
  const tree = structuredClone(before)
  const sometimes = () => g(fc.integer, { min: 0, max: 2 }) === 0
  const some = <T>(list: readonly T[]): T[] => g(() => fc.subarray([...list]))
  const all = tree.services.flatMap((service) => service.permissions.map((one) => one.code))
  const units = tree.organisations.flatMap((one) => one.units)
  for (const one of [...tree.roles, ...tree.organisations, ...units, ...tree.users, ...tree.clients])
    if (sometimes()) one.active = !(one.active ?? true)
  for (const role of tree.roles) if (sometimes()) role.permissions = some([...all, 'iam.users.read', 'iam.*'])
  for (const user of tree.users) {
    if (sometimes()) user.profiles = some(user.profiles)
    for (const profile of user.profiles) {
      if (sometimes()) profile.active = !(profile.active ?? true)
      if (sometimes()) profile.expires_at = g(() => fc.constantFrom('1970-01-01', '2031-01-01'))
    }
  }
  for (const client of tree.clients)
    if (client.type === 'machine' && sometimes()) client.permissions = some(client.permissions ?? [])
  return tree
}

/** Who may do what, as the administration API tells it: a permission of a profile, or of a machine. */
async function heldBy(store: Store): Promise<Map<string, Set<string>>> {
  const held = new Map<string, Set<string>>()
  const declared = await store.db.selectFrom('permissions').select('code').execute()
  for (const permission of [...declared.map((row) => row.code), ...iamPermissions]) {
    const question = { permission, reach: everywhere, organisation: undefined, now }
    const { holders } = await listHolders(store, question, undefined, 10_000)
    for (const one of holders) {
      const place = one.kind === 'user' ? [one.organisation_uuid, one.unit_uuid] : []
      const who = one.kind === 'user' ? [one.email, one.role_code, ...place] : [one.client_id]
      const of = held.get(who.join(' ')) ?? new Set<string>()
      held.set(who.join(' '), of.add(permission))
    }
  }
  return held
}

/** As a plan tells it, in one order. */
function differences(before: Map<string, Set<string>>, after: Map<string, Set<string>>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((who) => {
      const none = new Set<string>()
      const [had, has] = [before.get(who) ?? none, after.get(who) ?? none]
      const gains = [...has].filter((one) => !had.has(one)).sort()
      const loses = [...had].filter((one) => !has.has(one)).sort()
      return { who, gains, loses }
    })
    .filter(({ gains, loses }) => gains.length + loses.length > 0)
    .map((one) => JSON.stringify(one))
    .toSorted()
}

/** Of a file that would leave nobody who administers there is no plan. */
function leftAlone(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'last_administrator') return
  throw error
}

forEachDatabase((openEmptyStore) => {
  it('is planned with the effect on access that it then has', { timeout: 240_000 }, async () => {
    const store = await openEmptyStore()
    let some = 0
    const property = fc.asyncProperty(fc.gen(), fc.boolean(), async (g, prune) => {
      await clearDeclared(store)
      const first = installation(g) as Tree
      await applyDeclared(store, parse(JSON.stringify(first)), settings)
      const before = await heldBy(store)
      const second = parse(JSON.stringify(changed(first, g)))
      const plan = await planDeclared(store, second, { ...settings, prune }).catch(leftAlone)
      if (plan === undefined) return
      const { access } = plan
      const places = new Map<string | null, string>([[null, '']])
      for (const { uuid, code } of await store.db.selectFrom('organisations').selectAll().execute())
        places.set(code, uuid)
      const units = await store.db.selectFrom('units').selectAll().execute()
      const planned = access.users.map(({ email, role, organisation, unit, gains, loses }) => {
        const at = places.get(organisation) ?? 'nowhere'
        const below = units.find((one) => one.organisation_uuid === at && one.code === unit)?.uuid ?? ''
        return { who: `${email} ${role} ${at} ${below}`, gains: gains.toSorted(), loses: loses.toSorted() }
      })
      const machines = await store.db
        .selectFrom('clients')
        .selectAll()
        .where('type', '=', 'machine')
        .execute()
      for (const { client_id: who, gains, loses } of access.clients)
        if (machines.some((one) => one.client_id === who))
          planned.push({ who, gains: gains.toSorted(), loses: loses.toSorted() })
      await applyDeclared(store, second, { ...settings, prune })
      const actual = differences(before, await heldBy(store))
      expect(planned.map((one) => JSON.stringify(one)).toSorted()).toEqual(actual)
      some += actual.length
    })
    // Once in a while none of twelve pairs of files differs in what anybody may do.
    for (let tries = 0; tries < 5 && some === 0; tries++)
      await fc.assert(property, { numRuns: 12, endOnFailure: true })
    expect(some).toBeGreaterThan(0)
  })
})
