import { sql } from 'kysely'
import { Problem } from '../protocol/problem.ts'
import type { By, Told, Transacting } from './by.ts'

type ManagedThing = Told['thing'] | 'invitation'

/**
 * Throws `managed_by_file`, so that nothing happens, when a declared file manages what changes and nobody asked for
 * that: the next application would take the change back.
 */
export function refuseManaged(
  by: By,
  { thing, managedBy }: Pick<Told, 'managedBy'> & { thing: ManagedThing },
): void {
  if (managedBy === null || by.overridesFile === true) return
  const what = wholes[thing] ?? `this ${thing}`
  throw new Problem(
    'managed_by_file',
    `The declared file ${JSON.stringify(managedBy)} manages ${what}; nothing was changed. Change the file and apply it, or send Tessera-Managed: override, which lasts until the file is applied again.`,
  )
}

/** What a part is of; a file manages it together with its parts. */
const wholes: { [T in ManagedThing]?: string } = {
  permission: 'the service of this permission',
  unit: 'the organisation of this unit',
  profile: 'the user of this profile',
  policy: 'the policy of the installation',
  branding: 'the branding of the installation',
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
