import { shownOf } from '../../catalogue/columns.ts'
import { service as catalogued } from '../../catalogue/service.ts'
import type { ChangesOf } from '../../catalogue/thing.ts'
import { serviceOf } from '../../protocol/permission.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { write, writeChange, writeNew } from '../../store/write/write.ts'
import type { ServiceRow } from '../../database/schema.ts'
import type { Authority } from '../authority.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { permissions as permissionResource } from '../permissions/verbs.ts'
import { dropFromClients, dropFromRoles } from '../references.ts'
import { changeOne, createOne, type One, removeOne, type Resource, toldOfGone } from '../resource.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { isFound } from '../search.ts'
import { compared, differs } from '../version.ts'
import { isCode } from '../path.ts'

type StoredService = Row<'services'>

/** An administrator of an organisation sees the services of which they hold a permission. */
export const seenBy = ({ sees }: Authority): string[] | undefined => sees && [...new Set(sees.map(serviceOf))]

/** Services that were declared or added. The built-in one is no row. */
export const services: Resource<StoredService> = {
  thing: 'service',
  path: '/services',
  key: 'code',
  ofInstallation: true,
  isId: (code, authority) => isCode(code) && seenBy(authority)?.includes(code) !== false,
  find: async (db, code) => await rowOf(db, 'services', { code }),
  async held(trx, { code }) {
    const rows = await trx.selectFrom('permissions').select('code').where('service_code', '=', code).execute()
    return [{ permissions: rows.map((row) => row.code), within: true }]
  },
  shown: (row) => ({ ...shownOf(catalogued, row), built_in: false }),
  about: (_trx, { code, managed_by: managedBy }) => ({ id: code, managedBy }),
}

export interface ServiceFilter {
  /** Only these; undefined: all. */
  within: readonly string[] | undefined
  /** The beginning of a code or of a word of a name. */
  q?: string | undefined
}

/** The next declared services by code, at most `limit`. */
export async function listServices(
  { db }: Store,
  { within, q }: ServiceFilter,
  after: After,
  limit: number,
): Promise<Page<StoredService>> {
  if (within?.length === 0) return emptyPage
  return await pageBy(rowsOf(db, 'services', { code: within }), ['code'], {
    after,
    limit,
    ...(q !== undefined && { isFound: (row) => isFound(q, row.code, row.name) }),
  })
}

/** Adds a service. Throws when its code or audience is taken. */
export async function createService(
  store: Store,
  by: By,
  columns: ServiceRow,
  repeatable: Repeatable<StoredService> | undefined,
): Promise<Created<StoredService>> {
  return await createOne(store, by, services, repeatable, async (trx) => {
    if (await isThere(trx, 'services', { code: columns.code }))
      throw wrongField('code', 'Another service has this code.', 'conflict')
    await refuseTakenAudience(trx, columns.audience)
    return await writeNew(trx, 'services', columns, compared(by))
  })
}

export async function updateService(
  store: Store,
  by: By,
  one: One,
  set: ChangesOf<typeof catalogued>,
): Promise<StoredService> {
  return await changeOne(store, by, services, one, async (trx, before) => {
    if (!differs(before, set)) return before
    if (set.audience !== undefined && set.audience !== before.audience)
      await refuseTakenAudience(trx, set.audience)
    return await writeChange(trx, 'services', before, set, compared(by))
  })
}

/** Removes a service with its permissions, also from the roles that give them and the clients that list them. */
export async function deleteService(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, services, one, async (trx, before) => {
    const { code } = before
    const permissions = await rowsOf(trx, 'permissions', { service_code: code }).execute()
    const codes = permissions.map((one) => one.code)
    const roles = await dropFromRoles(trx, by, codes)
    const clients = await dropFromClients(trx, by, { permissions: codes, services: [code] })
    await write(trx, { services: { remove: [before] }, permissions: { remove: permissions } }, compared(by))
    return {
      others: [...permissions.map((row) => toldOfGone(permissionResource, row)), ...roles, ...clients],
    }
  })
}

async function refuseTakenAudience(trx: Transacting, audience: string): Promise<void> {
  if (await isThere(trx, 'services', { audience }))
    throw wrongField('audience', 'Another service has this audience.', 'conflict')
}
