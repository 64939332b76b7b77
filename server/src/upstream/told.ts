/** What an upstream said of somebody who is linked: their fields, their groups, and the profiles that these give. */
import type { Kysely } from 'kysely'
import type { AuditEvent } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import type { Assertion } from './assertion.ts'
import { writeFields } from './fields.ts'
import { aboutLink } from './links.ts'
import { type Source, settleMapped } from './mapped.ts'
import { recheckedUntil } from './recheck.ts'
import { toldHash } from './returning.ts'
import type { AccountSource } from './source.ts'
import type { ReadUpstream } from './upstream.ts'

export const sourceOf = ({ uuid, organisation_uuid, mapping }: ReadUpstream): AccountSource => ({
  kind: 'upstream',
  uuid,
  organisation_uuid,
  mapping,
})

export const actorOf = ({ uuid }: Pick<ReadUpstream, 'uuid'>) => ({
  actor: { kind: 'upstream' as const, id: uuid },
})

export type ToldBySubject = Pick<Assertion, 'subject' | 'fields' | 'groups' | 'claims'>

/** Writes what the upstream said of somebody who is linked: fields, groups and what these give. */
export async function writeTold(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  assertion: ToldBySubject,
  { user_uuid, now }: { user_uuid: string; now: number },
): Promise<AuditEvent[]> {
  const { subject, fields, groups, claims } = assertion
  const events = await writeFields(trx, user_uuid, fields, sourceOf(upstream), now)
  const isKnown = groups !== 'unknown'
  await trx
    .updateTable('upstream_links')
    .set({
      last_sign_in_at: now,
      told: isKnown ? toldHash(assertion) : null,
      ...(isKnown && {
        groups: JSON.stringify(groups),
        claims: JSON.stringify(Object.fromEntries(claimsOfRules(upstream, claims))),
        groups_at: now,
      }),
    })
    .where('upstream_uuid', '=', upstream.uuid)
    .where('subject', '=', subject)
    .execute()
  if (upstream.organisation_uuid === null) return events
  if (!isKnown) return [...events, ...unknownGroups(upstream, user_uuid, now)]
  const source = mappedSource(upstream, upstream.organisation_uuid, now)
  return [
    ...events,
    ...(await settleMapped(trx, source, [{ user_uuid, groups: new Set(groups), claims }], now)),
  ]
}

/** Only what rules look at is kept. */
const claimsOfRules = ({ mapping }: ReadUpstream, claims: Assertion['claims']) => {
  const asked = new Set(mapping.flatMap(({ claim }) => claim ?? []))
  return [...claims].filter(([name]) => asked.has(name))
}

const mappedSource = (upstream: ReadUpstream, organisation_uuid: string, now: number): Source => ({
  kind: 'upstream',
  uuid: upstream.uuid,
  organisation_uuid,
  mapping: upstream.mapping,
  countsUntil: recheckedUntil(upstream, now),
})

const unknownGroups = (upstream: ReadUpstream, user_uuid: string, now: number): AuditEvent[] =>
  upstream.mapping.length === 0
    ? []
    : [{ at: now, kind: 'groups.unknown', ...actorOf(upstream), ...aboutLink(upstream, user_uuid) }]
