import { sql } from 'kysely'
import * as z from 'zod'
import { type At, isProfileAt } from '../../access/reach.ts'
import { groupBy } from '../../access/by-key.ts'
import { shownOf } from '../../catalogue/columns.ts'
import { profile } from '../../catalogue/profile.ts'
import { shownSchema } from '../../catalogue/schemas.ts'
import type { Store } from '../../database/store.ts'
import type { Authority } from '../authority.ts'
import type { Row } from '../by.ts'
import { text } from '../fields.ts'

/** Profiles of a person in a list. */
const most = 5

const { user_uuid: _, ...ofPerson } = shownSchema(profile).shape

/** What a person of a list holds. */
export const heldSchema = z
  .object({
    profiles: z.array(z.object({ ...ofPerson, role_name: text(200) })),
    more: z.int().describe(`How many there are beside these ${most}.`),
  })
  .optional()
  .describe(
    `With \`include=profiles\`, for \`iam.profiles.read\`: up to ${most} of their profiles within your reach, active ones first.`,
  )

export type Held = NonNullable<z.output<typeof heldSchema>>

type HeldRow = Row<'profiles'> & { role_name: string; total: number }

/** What these people hold within the reach, in one query. Throws without `iam.profiles.read`. */
export async function heldBy(
  { db }: Store,
  authority: Authority,
  user_uuids: readonly string[],
): Promise<(user_uuid: string) => Held> {
  authority.requires('iam.profiles.read')
  const held = await readHeld(db, placeOf(authority), user_uuids)
  return (user_uuid) => {
    const rows = held.get(user_uuid) ?? []
    return {
      profiles: rows.map((row) => {
        const { user_uuid: _person, ...shown } = shownOf(profile, row)
        return { ...shown, role_name: row.role_name }
      }),
      more: Number(rows[0]?.total ?? 0) - rows.length,
    }
  }
}

function placeOf({ reach: { organisation_uuid, unit_uuid } }: Authority): At | undefined {
  if (unit_uuid !== undefined) return { unitsFrom: unit_uuid }
  return organisation_uuid === undefined ? undefined : { organisation: organisation_uuid }
}

async function readHeld(
  db: Store['db'],
  at: At | undefined,
  user_uuids: readonly string[],
): Promise<ReadonlyMap<string, HeldRow[]>> {
  if (user_uuids.length === 0) return new Map()
  const { rows } = await sql<HeldRow>`
    select * from (
      select profiles.*, roles.name as role_name, count(*) over each_person as total, row_number() over in_order as number
      from profiles join roles on roles.code = profiles.role_code
      where user_uuid in (${sql.join(user_uuids)}) and ${at === undefined ? sql`true` : isProfileAt(at)}
      window each_person as (partition by user_uuid),
        in_order as (partition by user_uuid order by profiles.active desc, role_code, profiles.uuid)
    ) as held where number <= ${most} order by number`.execute(db)
  return groupBy(rows, (row) => row.user_uuid)
}
