import { shownOf } from '../../catalogue/columns.ts'
import { permission as catalogued } from '../../catalogue/permission.ts'
import { isPermission, serviceOf } from '../../protocol/permission.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import { writeChange, writeNew, writeRemoval } from '../../store/write/write.ts'
import type { By, Row } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { managerOf } from '../managed.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { dropFromClients, dropFromRoles } from '../references.ts'
import { changeOne, createOne, type One, removeOne, type Resource } from '../resource.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { isFound } from '../search.ts'
import { compared } from '../version.ts'

type Permission = Row<'permissions'>

/** Permissions of services that were declared or added. Those of the built-in service are no rows. */
export const permissions: Resource<Permission> = {
  thing: 'permission',
  path: '/permissions',
  key: 'code',
  ofInstallation: true,
  isId: (code, { sees }) => isPermission(code) && sees?.includes(code) !== false,
  find: async (db, code) => await rowOf(db, 'permissions', { code }),
  held: (_trx, { code }) => [{ permissions: [code], within: true }],
  shown: (row) => ({ ...shownOf(catalogued, row), built_in: false }),
  about: async (trx, { code, service_code: service }) => ({
    id: code,
    managedBy: await managerOf(trx, 'services', service),
  }),
}

export interface PermissionFilter {
  /** Only these; undefined: all. */
  within: readonly string[] | undefined
  service_code?: string | undefined
  /** The beginning of a code or of a word of a description. */
  q?: string | undefined
}

/** The next declared permissions by code, at most `limit`. */
export async function listPermissions(
  { db }: Store,
  { within, service_code, q }: PermissionFilter,
  after: After,
  limit: number,
): Promise<Page<Permission>> {
  if (within?.length === 0) return emptyPage
  return await pageBy(rowsOf(db, 'permissions', { code: within, service_code }), ['code'], {
    after,
    limit,
    ...(q !== undefined && { isFound: (row) => isFound(q, row.code, row.description) }),
  })
}

/** Adds a permission to the service that its code begins with. */
export async function createPermission(
  store: Store,
  by: By,
  { code, description }: { code: string; description: string },
  repeatable: Repeatable<Permission> | undefined,
): Promise<Created<Permission>> {
  return await createOne(store, by, permissions, repeatable, async (trx) => {
    const service = serviceOf(code)
    if (!(await isThere(trx, 'services', { code: service })))
      throw wrongField('code', `There is no service ${service}.`)
    if (await isThere(trx, 'permissions', { code }))
      throw wrongField('code', 'This permission is there already.', 'conflict')
    return await writeNew(trx, 'permissions', { code, description, service_code: service }, compared(by))
  })
}

/** Describes a permission otherwise. */
export async function updatePermission(
  store: Store,
  by: By,
  one: One,
  description: string | undefined,
): Promise<Permission> {
  return await changeOne(store, by, permissions, one, async (trx, before) => {
    if (description === undefined || description === before.description) return before
    return await writeChange(trx, 'permissions', before, { description }, compared(by))
  })
}

/** Removes a permission, also from the roles that give it and the clients that list it. */
export async function deletePermission(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, permissions, one, async (trx, before) => {
    const { code } = before
    const roles = await dropFromRoles(trx, by, [code])
    const clients = await dropFromClients(trx, by, { permissions: [code], services: [] })
    await writeRemoval(trx, 'permissions', before, compared(by))
    return { others: [...roles, ...clients] }
  })
}
