import { type RawBuilder, sql } from 'kysely'

/** Selects the uuids of these units and of all below them. */
export const selectUnitsFrom = (units: RawBuilder<unknown>): RawBuilder<{ uuid: string }> => sql`
  with recursive below (uuid) as (
    select uuid from units where uuid in (${units})
    union
    select units.uuid from below join units on units.parent_uuid = below.uuid
  )
  select uuid from below`
