import { sql } from 'kysely'
import { Problem } from '../protocol/problem.ts'
import { type SettledName, settledThings, type ThingName, things } from '../protocol/things.ts'
import type { By, AuditedChange, Transacting } from './by.ts'

type ManagedThing = ThingName | SettledName

/**
 * Throws `managed_by_file`, so that nothing happens, when a declared file manages what changes and nobody asked for
 * that: the next application would take the change back.
 */
export function refuseManaged(
  by: By,
  { thing, managedBy }: Pick<AuditedChange, 'managedBy'> & { thing: ManagedThing },
): void {
  if (managedBy === null || by.overridesFile === true) return
  throw new Problem(
    'managed_by_file',
    `The declared file ${JSON.stringify(managedBy)} manages ${wholeOf(thing)}; nothing was changed. Change the file and apply it, or send Tessera-Managed: override, which lasts until the file is applied again.`,
  )
}

const isSettled = (thing: ManagedThing): thing is SettledName => Object.hasOwn(settledThings, thing)

/** A file manages a part together with what it is a part of. */
function wholeOf(thing: ManagedThing): string {
  if (isSettled(thing)) return `the ${settledThings[thing]}`
  const { partOf } = things[thing]
  return partOf === undefined ? `this ${thing}` : `the ${partOf} of this ${thing}`
}

/** The file that manages what something is a part of. */
export async function managerOf(
  trx: Transacting,
  table: 'services' | 'organisations' | 'users',
  key: string,
): Promise<string | null> {
  const column = sql.ref(table === 'services' ? 'code' : 'uuid')
  const { rows } = await sql<{ managed_by: string | null }>`
    select managed_by from ${sql.table(table)} where ${column} = ${key}`.execute(trx)
  return rows[0]?.managed_by ?? null
}
