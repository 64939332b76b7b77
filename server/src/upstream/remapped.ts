/** A changed mapping counts at once, by the groups that were last told. */
import { type Kysely, sql } from 'kysely'
import { groupBy } from '../access/by-key.ts'
import type { AuditEvent } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { UpstreamLinkRow } from '../database/schema-upstream.ts'
import { usualRecheckDays } from '../store/upstreams.ts'
import { settleMapped, type ToldPerson } from './mapped.ts'
import type { MappingRule } from './upstream.ts'

const day = 24 * 3_600_000

interface MappedRow {
  uuid: string
  organisation_uuid: string | null
  mapping: string
}

/**
 * Gives the people of an upstream what its mapping says now of what it told of them last. Whose groups it never told keep
 * what they have: unknown is not empty. Yields what is to be recorded.
 */
export async function remapUpstream(
  trx: Kysely<Schema>,
  { uuid, organisation_uuid, mapping, recheck_days }: MappedRow & { recheck_days: number | null },
  now: number,
): Promise<AuditEvent[]> {
  if (organisation_uuid === null) return []
  const rules = JSON.parse(mapping) as MappingRule[]
  const source = { kind: 'upstream', uuid, organisation_uuid, mapping: rules, countsUntil: now } as const
  const events: AuditEvent[] = []
  let after = ''
  for (;;) {
    // What some have told at a time: a provider may tell much of everybody.
    const links = await trx
      .selectFrom('upstream_links')
      .select(['subject', 'user_uuid', 'groups', 'claims'])
      .where('upstream_uuid', '=', uuid)
      .where('groups_at', 'is not', null)
      .where('subject', '>', after)
      .orderBy('subject')
      .limit(some)
      .execute()
    events.push(...(await settleMapped(trx, source, links.map(toldOf), now)))
    const last = links.at(-1)
    if (last === undefined || links.length < some) break
    after = last.subject
  }
  // Rules may look now at claims that were not kept: the next sign-in is looked at whole.
  await trx.updateTable('upstream_links').set({ told: null }).where('upstream_uuid', '=', uuid).execute()
  await keepAges(trx, uuid, (recheck_days ?? usualRecheckDays) * day)
  return events
}

/** Links that are looked at in one step. */
const some = 500

function toldOf({
  user_uuid,
  groups,
  claims,
}: Pick<UpstreamLinkRow, 'user_uuid' | 'groups' | 'claims'>): ToldPerson {
  const known = Object.entries(JSON.parse(claims ?? '{}') as Record<string, string[]>)
  return {
    user_uuid,
    groups: new Set(JSON.parse(groups ?? '[]') as string[]),
    claims: new Map(known),
  }
}

/** Each counts as long after its last proof as before: a mapping is no proof. */
async function keepAges(trx: Kysely<Schema>, uuid: string, counts: number): Promise<void> {
  await sql`update profiles set counts_until = (
      select groups_at + ${sql.lit(counts)} from upstream_links
      where upstream_links.upstream_uuid = ${uuid} and upstream_links.user_uuid = profiles.user_uuid)
    where counts_until is not null and uuid in (
      select profile_uuid from profile_sources where source_uuid = ${uuid})
      and exists (select 1 from upstream_links where upstream_links.upstream_uuid = ${uuid}
        and upstream_links.user_uuid = profiles.user_uuid and groups_at is not null)`.execute(trx)
}

/** Gives the people of a directory what its mapping says now of their groups. Yields what is to be recorded. */
export async function remapDirectory(
  trx: Kysely<Schema>,
  { uuid, organisation_uuid, mapping, active }: MappedRow & { active: 0 | 1 },
  now: number,
): Promise<AuditEvent[]> {
  if (organisation_uuid === null) return []
  const people = await trx
    .selectFrom('scim_resources')
    .select(['id', 'user_uuid'])
    .where('directory_uuid', '=', uuid)
    .where('kind', '=', 'User')
    .where('active', '=', 1)
    .where('deleted_at', 'is', null)
    .where('user_uuid', 'is not', null)
    .execute()
  const members = await trx
    .selectFrom('scim_members')
    .innerJoin('scim_resources', 'scim_resources.id', 'scim_members.group_id')
    .select(['scim_members.user_id', 'scim_resources.id', 'scim_resources.external_id'])
    .where('scim_resources.directory_uuid', '=', uuid)
    .where('scim_resources.deleted_at', 'is', null)
    .execute()
  const groups = groupBy(members, (row) => row.user_id)
  const told = people.map(({ id, user_uuid }): ToldPerson => {
    const ids = (groups.get(id) ?? []).flatMap((row) => [row.id, row.external_id ?? row.id])
    return { user_uuid: user_uuid ?? '', groups: new Set(ids), claims: new Map() }
  })
  // A disabled one gives nothing.
  const rules = active === 1 ? (JSON.parse(mapping) as MappingRule[]) : []
  const source = { kind: 'directory', uuid, organisation_uuid, mapping: rules, countsUntil: null } as const
  return await settleMapped(trx, source, told, now)
}
