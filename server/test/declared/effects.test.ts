import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { describeAccess } from '../../dist/declared/describe-access.js'
import type { AccessChanges } from '../../dist/declared/effects.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { DeclaredFileError } from '../../dist/declared/problems.js'
import { iamPermissions } from '../../dist/protocol/permission.js'
import { Problem } from '../../dist/protocol/problem.js'
import { listHolders } from '../../dist/access/holders.js'
import { unitsFrom } from '../../dist/access/reach.js'
import type { Store } from '../../dist/database/store.js'
import { forEachDatabase, parse } from './support.ts'
import { clearDeclared } from '../harness/states.ts'
import { installation, quickPasswords } from './tree.ts'

const now = 10_000
const settings = { now, ...quickPasswords }
const everywhere = { organisation_uuid: undefined, unit_uuid: undefined }

interface Place {
  organisation?: string | undefined
  unit?: string | undefined
}

interface Profile extends Place {
  uuid?: string
  role: string
  active?: boolean
  expires_at?: string
}

interface Tree {
  roles: { code: string; permissions: string[]; active?: boolean }[]
  organisations: {
    code: string
    active?: boolean
    units: { code: string; active?: boolean; parent?: string | undefined }[]
  }[]
  users: { email: string; uuid?: string; active?: boolean; profiles: Profile[] }[]
  clients: ({ type: string; active?: boolean; permissions?: string[] } & Place)[]
  services: { permissions: { code: string }[] }[]
}

/**
 * The same file, in which some are disabled or enabled, roles, profiles and machines have some of what there is, and
 * anything may be elsewhere than it was.
 */
function changed(before: Tree, g: fc.GeneratorValue): Tree {
  const tree = structuredClone(before)
  const sometimes = () => g(fc.integer, { min: 0, max: 2 }) === 0
  const some = <T>(list: readonly T[]): T[] => g(() => fc.subarray([...list]))
  const one = <T>(list: readonly T[]): T => g(() => fc.constantFrom(...list))
  const all = tree.services.flatMap((service) => service.permissions.map((own) => own.code))
  const units = tree.organisations.flatMap((own) => own.units)
  const atOrganisations = tree.organisations.map(({ code }) => ({ organisation: code }))
  const atUnits = tree.organisations.flatMap(({ code, units: own }) =>
    own.map((unit) => ({ organisation: code, unit: unit.code })),
  )
  for (const own of [...tree.roles, ...tree.organisations, ...units, ...tree.users, ...tree.clients])
    if (sometimes()) own.active = !(own.active ?? true)
  for (const role of tree.roles) if (sometimes()) role.permissions = some([...all, 'iam.users.read', 'iam.*'])
  for (const { units: own } of tree.organisations) {
    const order = g(() => fc.shuffledSubarray(own, { minLength: own.length }))
    // Below one that comes earlier, so that none is above itself.
    for (const [index, unit] of order.entries())
      if (sometimes()) unit.parent = one([undefined, ...order.slice(0, index).map((above) => above.code)])
      else if (!order.slice(0, index).some((above) => above.code === unit.parent)) delete unit.parent
  }
  for (const user of tree.users) {
    if (sometimes()) user.profiles = some(user.profiles)
    if (user.uuid !== undefined && sometimes()) user.email = `moved-${user.email}`
    for (const profile of user.profiles) {
      if (sometimes()) profile.active = !(profile.active ?? true)
      if (sometimes()) profile.expires_at = g(() => fc.constantFrom('1970-01-01', '2031-01-01'))
      if (sometimes()) profile.role = one(tree.roles).code
      if (sometimes()) move(profile, one([{}, ...atOrganisations, ...atUnits]))
    }
    const told = (own: Profile) => own.uuid ?? [own.role, own.organisation, own.unit].join(' ')
    user.profiles = [...new Map(user.profiles.map((own) => [told(own), own])).values()]
  }
  for (const client of tree.clients) {
    if (client.type === 'machine' && sometimes()) client.permissions = some(client.permissions ?? [])
    if (sometimes()) move(client, one([{}, ...atOrganisations]))
  }
  return tree
}

function move(what: Place, { organisation, unit }: Place): void {
  delete what.organisation
  delete what.unit
  if (organisation !== undefined) what.organisation = organisation
  if (unit !== undefined) what.unit = unit
}

/** Who may do what at which place. */
type Held = Map<string, Set<string>>

interface Moment {
  held: Held
  /** The unit above each. */
  parents: Map<string, string | null>
  /** Each unit with those below it. */
  below: Map<string, Set<string>>
}

const at = (who: string, organisation: string | null, unit: string | null) =>
  [who, organisation ?? 'everywhere', unit ?? ''].join(' ')

/** What a client may do for callers of the service that it is counts apart from what it may do for itself. */
const acting = (clientId: string, service: string | undefined) =>
  service === undefined ? clientId : `${clientId}:${service}`

/**
 * As the administration API tells it: the permissions of a person at a place where they have a profile, of a machine, or
 * of a client for whose callers it gets them by exchange.
 */
async function momentOf(store: Store): Promise<Moment> {
  const held: Held = new Map()
  const declared = await store.db.selectFrom('permissions').select('code').execute()
  for (const permission of [...declared.map((row) => row.code), ...iamPermissions]) {
    const question = { permission, reach: everywhere, organisation: undefined, now }
    const { rows: holders } = await listHolders(store, question, undefined, 10_000)
    for (const one of holders) {
      const [who, unit] =
        one.kind === 'user' ? [one.user_uuid, one.unit_uuid] : [acting(one.client_id, one.acting_for), null]
      const key = at(who, one.organisation_uuid, unit)
      held.set(key, (held.get(key) ?? new Set<string>()).add(permission))
    }
  }
  const units = await store.db.selectFrom('units').selectAll().execute()
  const below = new Map<string, Set<string>>()
  for (const { uuid } of units) below.set(uuid, await unitsFrom(store.db, uuid))
  return { held, parents: new Map(units.map((row) => [row.uuid, row.parent_uuid])), below }
}

/** With what people may do at the units that moved, because they may at a unit above. */
function withMoved({ held, below }: Moment, moved: readonly string[]): Held {
  const all: Held = new Map([...held].map(([key, permissions]) => [key, new Set(permissions)]))
  for (const [key, permissions] of held) {
    const [who = '', organisation = '', unit = ''] = key.split(' ')
    for (const own of moved.filter((one) => below.get(unit)?.has(one) === true)) {
      const there = at(who, organisation, own)
      all.set(there, new Set([...(all.get(there) ?? []), ...permissions]))
    }
  }
  return all
}

/** As a plan tells it, in one order. */
function differences(first: Moment, then: Moment): string[] {
  const moved = [...first.parents.keys()].filter(
    (uuid) => then.parents.has(uuid) && then.parents.get(uuid) !== first.parents.get(uuid),
  )
  const [before, after] = [withMoved(first, moved), withMoved(then, moved)]
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

/** What the plan told, by the uuids that there are once it was applied. */
async function toldOf(store: Store, { users, clients }: AccessChanges): Promise<string[]> {
  const organisations = await store.db.selectFrom('organisations').selectAll().execute()
  const units = await store.db.selectFrom('units').selectAll().execute()
  const people = await store.db.selectFrom('users').selectAll().execute()
  const machines = await store.db.selectFrom('clients').selectAll().where('type', '=', 'machine').execute()
  const organisationOf = (code: string | null) => organisations.find((one) => one.code === code)?.uuid ?? null
  const told = users.map(({ email, organisation, unit, gains, loses }) => {
    const uuid = people.find((one) => one.email === email)?.uuid ?? email
    const place = organisationOf(organisation)
    const below = units.find((one) => one.organisation_uuid === place && one.code === unit)?.uuid ?? null
    return { who: at(uuid, place, below), gains: gains.toSorted(), loses: loses.toSorted() }
  })
  const holding = clients.filter(
    (one) => one.acting_for !== undefined || machines.some((row) => row.client_id === one.client_id),
  )
  for (const { client_id, acting_for, organisation, gains, loses } of holding) {
    const who = at(acting(client_id, acting_for), organisationOf(organisation), null)
    told.push({ who, gains: gains.toSorted(), loses: loses.toSorted() })
  }
  return told.map((one) => JSON.stringify(one)).toSorted()
}

/** Of a file that would leave nobody who administers, or has a profile take another's place, there is no plan. */
function leftAlone(error: unknown): undefined {
  if (error instanceof DeclaredFileError) return
  if (error instanceof Problem && error.code === 'last_administrator') return
  throw error
}

forEachDatabase((openEmptyStore, dialect) => {
  it('is planned with the effect on access that it then has', { timeout: 240_000 }, async () => {
    const store = await openEmptyStore()
    let some = 0
    const property = fc.asyncProperty(fc.gen(), fc.boolean(), async (g, prune) => {
      await clearDeclared(store)
      const first = installation(g) as Tree
      await applyDeclared(store, parse(JSON.stringify(first)), settings)
      const before = await momentOf(store)
      const second = parse(JSON.stringify(changed(first, g)))
      const plan = await planDeclared(store, second, { ...settings, prune }).catch(leftAlone)
      if (plan === undefined) return
      await applyDeclared(store, second, { ...settings, prune })
      const actual = differences(before, await momentOf(store))
      expect(await toldOf(store, plan.access)).toEqual(actual)
      const none = describeAccess(plan.access) === "Nobody's access changes."
      if (none) expect(actual).toEqual([])
      some += actual.length
    })
    // PostgreSQL is asked for all that anybody holds, which takes long; what is drawn from it is the same.
    const numRuns = dialect === 'sqlite' ? 10 : 2
    // Once in a while none of these pairs of files differs in what anybody may do.
    for (let tries = 0; tries < 60 / numRuns && some === 0; tries++)
      await fc.assert(property, { numRuns, endOnFailure: true })
    expect(some).toBeGreaterThan(0)
  })
})
