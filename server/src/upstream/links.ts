import type { Kysely } from 'kysely'
import type { AuditEvent, Origin } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { UpstreamLinkRow } from '../database/schema-upstream.ts'
import { rowOf } from '../database/rows.ts'
import { writeChange } from '../store/write/write.ts'
import type { Assertion } from './assertion.ts'
import { breakGlassOf, installationBreakGlass, keptBreakGlass } from '../store/break-glass.ts'
import type { Upstream } from './upstream.ts'

/** The link of a subject at an upstream. */
export const linkOf = async (
  trx: Kysely<Schema>,
  { upstream_uuid, subject }: Pick<Assertion, 'upstream_uuid' | 'subject'>,
): Promise<UpstreamLinkRow | undefined> => await rowOf(trx, 'upstream_links', { upstream_uuid, subject })

/** A person's link at an upstream: one at the most. */
export const linkOfPerson = async (
  trx: Kysely<Schema>,
  upstream_uuid: string,
  user_uuid: string,
): Promise<UpstreamLinkRow | undefined> => await rowOf(trx, 'upstream_links', { upstream_uuid, user_uuid })

export interface NewUpstreamLink {
  user_uuid: string
  byHand: boolean
  now: number
  by: Origin
}

/**
 * Ties a person to a subject. Break-glass people belong to no upstream: the person ceases to be one of them. Yields what
 * is to be recorded. Concurrency: neither has another link; the row of the upstream is held.
 */
export async function makeUpstreamLink(
  trx: Kysely<Schema>,
  upstream: Pick<Upstream, 'uuid' | 'organisation_uuid'>,
  { subject }: Pick<Assertion, 'subject'>,
  { user_uuid, byHand, now, by }: NewUpstreamLink,
): Promise<AuditEvent[]> {
  const { uuid: upstream_uuid, organisation_uuid } = upstream
  const none = { groups: null, claims: null, groups_at: null, told: null }
  const row = { upstream_uuid, subject, user_uuid, created_at: now, last_sign_in_at: now, ...none }
  await trx
    .insertInto('upstream_links')
    .values({ ...row, by_hand: byHand ? 1 : 0 })
    .execute()
  const made: AuditEvent = { at: now, kind: 'link.created', ...by, ...aboutLink(upstream, user_uuid) }
  return [made, ...(await leaveBreakGlass(trx, organisation_uuid, { user_uuid, now, by }))]
}

/** What records of a link are about. The subject is no secret, and tells which link it was. */
export const aboutLink = (
  { uuid, organisation_uuid }: Pick<Upstream, 'uuid' | 'organisation_uuid'>,
  user_uuid: string,
): Pick<AuditEvent, 'target' | 'user_uuid' | 'organisation_uuid'> => ({
  target: { kind: 'upstream', id: uuid },
  user_uuid,
  ...(organisation_uuid !== null && { organisation_uuid }),
})

/** Takes somebody out of those who get in when the upstreams of an organisation, or of the installation, do not. */
async function leaveBreakGlass(
  trx: Kysely<Schema>,
  organisation_uuid: string | null,
  { user_uuid, now, by }: Pick<NewUpstreamLink, 'user_uuid' | 'now' | 'by'>,
): Promise<AuditEvent[]> {
  const before = [...(await breakGlassOf(trx, organisation_uuid))]
  if (!before.includes(user_uuid)) return []
  const after = before.filter((one) => one !== user_uuid)
  const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
  if (organisation_uuid === null) {
    const { row } = await installationBreakGlass(trx)
    await writeChange(trx, 'installation', row, { kept: keptBreakGlass(after) }, how)
    const [was, is] = [{ people: before }, { people: after }]
    const target = { kind: 'break_glass', id: 'installation' }
    return [{ at: now, kind: 'break_glass.changed', ...by, target, before: was, after: is }]
  }
  const row = await rowOf(trx, 'organisations', { uuid: organisation_uuid })
  if (row === undefined) return []
  await writeChange(trx, 'organisations', row, { break_glass: JSON.stringify(after) }, how)
  const target = { kind: 'organisation', id: organisation_uuid }
  const [was, is] = [{ break_glass: before }, { break_glass: after }]
  return [{ at: now, kind: 'organisation.changed', ...by, target, organisation_uuid, before: was, after: is }]
}
