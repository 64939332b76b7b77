import { randomUUID } from 'node:crypto'
import { shownOf } from '../../catalogue/columns.ts'
import { directory as catalogued } from '../../catalogue/directory.ts'
import type { ChangesOf, ColumnsOf } from '../../catalogue/thing.ts'
import { isThere, rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { wrongField } from '../../protocol/problem.ts'
import { isUuid } from '../../protocol/values.ts'
import { writeChange, writeNew, writeRemoval } from '../../store/write/write.ts'
import { endDirectory } from '../../upstream/ended.ts'
import { remapDirectory } from '../../upstream/remapped.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { managerOf } from '../managed.ts'
import { checkOpened } from '../mapped.ts'
import { findOwned } from '../owned.ts'
import { checkOwner } from '../placement.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { changeOne, createOne, type One, removeOne, type Resource } from '../resource.ts'
import { compared, differs } from '../version.ts'

export type DirectoryThing = Row<'directories'>

export const directories: Resource<DirectoryThing> = {
  thing: 'directory',
  path: '/directories',
  key: 'uuid',
  isId: isUuid,
  find: async (db, uuid, { reach }) => await findOwned(db, 'directories', uuid, reach),
  shown: (row) => shownOf(catalogued, row),
  about: async (trx, { uuid: id, organisation_uuid }) => ({
    id,
    organisation_uuid,
    managedBy: await managerOf(trx, 'organisations', organisation_uuid),
  }),
}

/** Adds a directory. Throws unless who asks could give all that it opens: it writes addresses, and gives profiles. */
export async function createDirectory(
  store: Store,
  by: By,
  columns: ColumnsOf<typeof catalogued>,
  repeatable: Repeatable<DirectoryThing> | undefined,
): Promise<Created<DirectoryThing>> {
  return await createOne(store, by, directories, repeatable, async (trx) => {
    const { organisation_uuid, code } = columns
    await checkOwner(trx, 'directory', organisation_uuid, by.authority)
    checkRules(columns)
    await checkOpened(trx, by, columns)
    if (await isThere(trx, 'directories', { organisation_uuid, code }))
      throw wrongField('code', 'Another directory of this organisation has this code.', 'conflict')
    wantRecentSignIn(by)
    const { now } = by
    const row = { ...columns, uuid: randomUUID(), created_at: now, updated_at: now }
    return await writeNew(trx, 'directories', row, compared(by))
  })
}

/** SCIM has groups, and no claims. */
function checkRules({ mapping }: Pick<DirectoryThing, 'mapping'>): void {
  const index = (JSON.parse(mapping) as { claim?: string }[]).findIndex((rule) => rule.claim !== undefined)
  if (index >= 0) throw wrongField(`mapping.${index}.claim`, 'A directory has groups alone.')
}

/** Changes a directory. Throws, unless its name alone changes, where the caller could not give all that it opens. */
export async function updateDirectory(
  store: Store,
  by: By,
  one: One,
  set: ChangesOf<typeof catalogued>,
): Promise<DirectoryThing> {
  return await changeOne(store, by, directories, one, async (trx, before) => {
    if (!differs(before, set)) return before
    const { name: _, ...opening } = set
    if (differs(before, opening)) {
      const after = { ...before, ...set }
      checkRules(after)
      await checkOpened(trx, by, after)
      wantRecentSignIn(by)
    }
    const after = await writeChange(trx, 'directories', before, { ...set, updated_at: by.now }, compared(by))
    const isMoved = after.mapping !== before.mapping || after.active !== before.active
    return isMoved ? [after, await remapDirectory(trx, after, by.now)] : after
  })
}

/** Removes a directory with its tokens and resources, and with what it gives. */
export async function deleteDirectory(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, directories, one, async (trx, before) => {
    await checkOpened(trx, by, { ...before, mapping: '[]' })
    const events = await endDirectory(trx, before, by)
    await writeRemoval(trx, 'directories', before, compared(by))
    return { events }
  })
}

export const directoriesOf = async (trx: Transacting, organisation_uuid: string): Promise<DirectoryThing[]> =>
  await rowsOf(trx, 'directories', { organisation_uuid }).execute()
