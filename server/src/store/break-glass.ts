import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** The people who get in when the upstreams of an organisation, or of the whole installation, do not. */
export async function breakGlassOf(
  trx: Kysely<Schema>,
  organisation_uuid: string | null,
): Promise<Set<string>> {
  if (organisation_uuid === null) return new Set((await installationBreakGlass(trx)).people)
  const row = await trx
    .selectFrom('organisations')
    .select('break_glass')
    .where('uuid', '=', organisation_uuid)
    .executeTakeFirst()
  return new Set(JSON.parse(row?.break_glass ?? '[]') as string[])
}

/** What the installation keeps of whom it names. */
export const keptBreakGlass = (people: readonly string[]): string => JSON.stringify({ people })

/** The row of the installation that names them, and whom it names. */
export async function installationBreakGlass(trx: Kysely<Schema>) {
  const row = await trx
    .selectFrom('installation')
    .selectAll()
    .where('name', '=', 'break_glass')
    .executeTakeFirstOrThrow()
  return { row, people: installationPeople([row]) }
}

/** The people whom these rows of the installation name. */
export function installationPeople(rows: readonly { name: string; kept: string }[]): string[] {
  const { kept = '{}' } = rows.find(({ name }) => name === 'break_glass') ?? {}
  return (JSON.parse(kept) as { people?: string[] }).people ?? []
}
