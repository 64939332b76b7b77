/**
 * What all administered things have in common: how one is found, shown and told of. Creation, change and removal are
 * written here once, around what each kind does besides.
 */
import { notFound } from '../protocol/problem.ts'
import type { ThingAddress } from '../protocol/things.ts'
import type { AuditEvent } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import type { PermissionGrant } from '../access/reach.ts'
import type { Authority } from './authority.ts'
import type { By, AuditedChange, Transacting } from './by.ts'
import { change, changeOnce, type Created, type Repeatable } from './change.ts'
import { inVersion, type Versions } from './version.ts'

/** The row of a thing, with the key that it has. */
export interface AdministeredRow {
  version: number
  uuid?: string
  code?: string
  client_id?: string | null
}

/** The name of the thing in the audit and in refusals, the address of their list below /admin/v1, and what names one. */
export type Resource<R extends AdministeredRow> = ThingAddress & {
  /** Whether a text can be the id of one that the administrator may know of. */
  isId(text: string, authority: Authority): boolean
  /** The one within the reach; in a transaction as that finds it. */
  find(db: Transacting, id: string, authority: Authority): Promise<R | undefined>
  /** The thing belongs to the whole installation: only its administrators change it. */
  ofInstallation?: true
  /** The permissions that it gives: an administrator who changes it has to hold them. */
  held?(trx: Transacting, row: R, authority: Authority): Promise<PermissionGrant[]> | PermissionGrant[]
  /** The thing as the API shows it. */
  shown(row: R): object
  /** What the audit is told of one that goes, beside what the API shows. */
  gone?(row: R): object
  /** What the audit is told of it beside its values. */
  about(trx: Transacting, row: R, authority: Authority): Promise<Subject> | Subject
}

type Subject = Pick<AuditedChange, 'id' | 'user_uuid' | 'organisation_uuid' | 'managedBy'>

/** One thing, in the versions in which it may be changed. */
export interface One {
  id: string
  versions: Versions
}

/** The id that a path has. Throws `not_found` when it can name nothing. */
export function idIn<R extends AdministeredRow>(
  { isId, key, thing }: Resource<R>,
  text: string,
  authority: Authority,
): string {
  if (!isId(text, authority)) throw notFound(thing)
  return key === 'uuid' ? text.toLowerCase() : text
}

/** One within the reach, in a version that may be changed, which gives no more than the administrator holds. */
export async function toChange<R extends AdministeredRow>(
  trx: Transacting,
  resource: Resource<R>,
  { id, versions }: One,
  { authority }: By,
): Promise<R> {
  const row = inVersion(await resource.find(trx, id, authority), resource.thing, versions)
  if (resource.held !== undefined) authority.changes(await resource.held(trx, row, authority))
  return row
}

/** What the audit is told of a change of one, or of what came of it. */
export async function toldOf<R extends AdministeredRow>(
  trx: Transacting,
  { thing, about, shown, gone }: Resource<R>,
  { authority }: By,
  { before, after }: { before?: R; after?: R },
): Promise<AuditedChange> {
  const row = after ?? before
  if (row === undefined) throw new Error('Nothing is to be told.')
  return {
    thing,
    ...(await about(trx, row, authority)),
    ...(before !== undefined && {
      before: { ...shown(before), ...(after === undefined && gone?.(before)) },
    }),
    ...(after !== undefined && { after: shown(after) }),
  }
}

/** What the audit is told of one that goes along with another thing, of which alone it is asked what manages it. */
export const toldOfGone = <R extends AdministeredRow>(
  { thing, key, shown, gone }: Resource<R>,
  row: R & { user_uuid?: string; organisation_uuid?: string | null },
): AuditedChange => ({
  thing,
  id: row[key] ?? '',
  user_uuid: row.user_uuid,
  organisation_uuid: row.organisation_uuid,
  managedBy: null,
  before: { ...shown(row), ...gone?.(row) },
})

/** Adds one. Concurrency: see `changeOnce`. */
export async function createOne<R extends AdministeredRow>(
  store: Store,
  by: By,
  resource: Resource<R>,
  repeatable: Repeatable<R> | undefined,
  work: (trx: Transacting) => Promise<R>,
  secrets: readonly string[] = [],
): Promise<Created<R>> {
  if (resource.ofInstallation) by.authority.changesInstallation()
  return await changeOnce(store, by, repeatable, async (trx) => {
    const made = await work(trx)
    return { result: made, told: { ...(await toldOf(trx, resource, by, { after: made })), secrets } }
  })
}

/**
 * Changes one: `work` yields what has come of it, or the very row that it was given when nothing changes. Concurrency:
 * see `change`; the version is compared in the statement that writes.
 */
export async function changeOne<R extends AdministeredRow>(
  store: Store,
  by: By,
  resource: Resource<R>,
  one: One,
  work: (trx: Transacting, before: R) => Promise<R | readonly [after: R, events: readonly AuditEvent[]]>,
  besides: Partial<Pick<AuditedChange, 'secrets' | 'managedBy'>> = {},
): Promise<R> {
  if (resource.ofInstallation) by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = await toChange(trx, resource, one, by)
    const done = await work(trx, before)
    const [after, events] = isWithEvents(done) ? done : [done, []]
    if (after === before) return { result: before, told: undefined }
    const told = { ...(await toldOf(trx, resource, by, { before, after })), ...besides }
    return { result: after, told, events }
  })
}

const isWithEvents = <R extends AdministeredRow>(
  done: R | readonly [after: R, events: readonly AuditEvent[]],
): done is readonly [after: R, events: readonly AuditEvent[]] => Array.isArray(done)

/** What was removed or changed together with one thing. */
interface RemovedWith {
  /** What happened to others by it. */
  events?: readonly AuditEvent[]
  others?: readonly AuditedChange[]
  removedWith?: Readonly<Record<string, number>>
}

/** Removes one. Concurrency: see `change`. */
export async function removeOne<R extends AdministeredRow>(
  store: Store,
  by: By,
  resource: Resource<R>,
  one: One,
  work: (trx: Transacting, before: R) => Promise<RemovedWith | void>,
): Promise<void> {
  if (resource.ofInstallation) by.authority.changesInstallation()
  await change(store, by, async (trx) => {
    const before = await toChange(trx, resource, one, by)
    const unmet = await namedInLists(trx, resource.thing)
    const { others = [], events, ...counted } = (await work(trx, before)) ?? {}
    const itself = { ...(await toldOf(trx, resource, by, { before })), ...counted }
    return { result: undefined, told: [...others, ...(await unmet()), itself], events: events ?? [] }
  })
}

/** What clients name in `allowed`, and stays there when it goes. */
const listed = new Set<string>(['role', 'permission', 'service', 'organisation', 'unit'])

/** Tells afterwards which clients name what was removed, as the audit is told of it. */
async function namedInLists(trx: Transacting, thing: string): Promise<() => Promise<AuditedChange[]>> {
  if (!listed.has(thing)) return async () => []
  const read = async () =>
    await trx
      .selectFrom('clients')
      .select(['client_id', 'organisation_uuid', 'allowed_removed'])
      .where('allowed', 'is not', null)
      .execute()
  const before = new Map((await read()).map((row) => [row.client_id, row.allowed_removed]))
  const shown = (text: string | null | undefined) => ({
    allowed_removed: JSON.parse(text ?? 'null') as unknown,
  })
  return async () =>
    (await read())
      .filter((row) => before.get(row.client_id) !== row.allowed_removed)
      .map(({ client_id: id, organisation_uuid, allowed_removed: after }): AuditedChange => {
        const change = { before: shown(before.get(id)), after: shown(after) }
        return { thing: 'client', id, organisation_uuid, managedBy: null, ...change }
      })
}
