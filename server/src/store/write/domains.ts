/** What organisations have and name, when that changes with something else than themselves. */
import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import { moveRevision } from '../../database/revision.ts'
import type { Schema } from '../../database/schema.ts'
import { installationBreakGlass, keptBreakGlass } from '../break-glass.ts'
import type { Writes } from './rows.ts'

/**
 * A disabled organisation has no domain; enabled again, it has those that the installation gave it and nobody else has
 * since. Those that it proved are looked at anew.
 */
export async function settleHolders(trx: Kysely<Schema>, { organisations }: Writes): Promise<void> {
  const turned = (active: 0 | 1) =>
    organisations.update
      .filter(({ before, set }) => set.active === active && before.active !== active)
      .map(({ before }) => before.uuid)
  for (const uuids of chunksOf(turned(0)))
    await trx.updateTable('domains').set({ holds: 0 }).where('organisation_uuid', 'in', uuids).execute()
  for (const uuids of chunksOf(turned(1)))
    await trx
      .updateTable('domains')
      .set({ holds: 1 })
      .where('organisation_uuid', 'in', uuids)
      .where('given', '=', 1)
      .where('name', 'not in', trx.selectFrom('domains').select('name').where('holds', '=', 1))
      .execute()
}

/** Organisations name nobody who goes: neither as one that they accept, nor as one who gets in without their upstream. */
export async function forgetNamed(trx: Kysely<Schema>, { organisations, users }: Writes): Promise<void> {
  const gone = new Set([...organisations.remove, ...users.remove].map(({ uuid }) => uuid))
  if (gone.size === 0) return
  await forgetOfInstallation(trx, gone)
  const naming = await trx
    .selectFrom('organisations')
    .select(['uuid', 'accepts', 'break_glass'])
    .where((row) => row.or([row('accepts', '<>', '[]'), row('break_glass', '<>', '[]')]))
    .execute()
  for (const { uuid, ...lists } of naming) {
    const left = (text: string) =>
      JSON.stringify((JSON.parse(text) as string[]).filter((one) => !gone.has(one)))
    const set = { accepts: left(lists.accepts), break_glass: left(lists.break_glass) }
    if (set.accepts === lists.accepts && set.break_glass === lists.break_glass) continue
    const moved = { ...set, version: sql<number>`version + 1` }
    await trx.updateTable('organisations').set(moved).where('uuid', '=', uuid).execute()
    await moveRevision(trx)
  }
}

async function forgetOfInstallation(trx: Kysely<Schema>, gone: ReadonlySet<string>): Promise<void> {
  const { people } = await installationBreakGlass(trx)
  const left = people.filter((one) => !gone.has(one))
  if (left.length === people.length) return
  const set = { kept: keptBreakGlass(left), version: sql<number>`version + 1` }
  await trx.updateTable('installation').set(set).where('name', '=', 'break_glass').execute()
  await moveRevision(trx)
}
