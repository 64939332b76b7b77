/** What the audit is told where a profile of an unproved account comes to wait, or waits no more. */
import type { AuditEvent } from '../audit/record.ts'
import type { ProfileRow } from '../database/schema.ts'
import type { Beyond } from '../database/schema-admin.ts'

type Waited = Pick<ProfileRow, 'uuid' | 'user_uuid' | 'organisation_uuid'> & { beyond: Beyond | null }

/** The profiles as they were, each with what it becomes. */
export const waitedEvents = (
  changed: readonly (readonly [before: Waited, beyond: Beyond | null])[],
  now: number,
): AuditEvent[] =>
  changed.map(([{ uuid, user_uuid, organisation_uuid, beyond: before }, beyond]) => ({
    at: now,
    kind: 'profile.changed',
    target: { kind: 'profile', id: uuid },
    user_uuid,
    ...(organisation_uuid !== null && { organisation_uuid }),
    before: { beyond: before },
    after: { beyond },
  }))

/** What a record of a profile that goes says of it beside its fields. */
export const waitsAs = ({ beyond }: { uuid: string; beyond?: Beyond | null }): { beyond?: Beyond } =>
  beyond ? { beyond } : {}
