/**
 * `audit/` owns the chain of audit records: it appends, reads, follows, checks and archives them. It never changes a
 * record, removes only those of archived months, and never decides what is worth one: the verb that changes something records it, in its own transaction.
 */
import type { Kysely } from 'kysely'
import type { ActorKind, AuditKind } from '../protocol/audit-kinds.ts'
import type { AuditContent } from '../database/schema-audit.ts'
import { append, appending } from './append.ts'
import type { Store } from '../database/store.ts'
import type { Schema } from '../database/schema.ts'

/** An actor, and the profile that they acted under. */
export interface Actor {
  kind: ActorKind
  /** The uuid of a user, a client_id, or the `user@host` of a command. */
  id?: string | undefined
  profile_uuid?: string | undefined
  role_code?: string | undefined
  organisation_uuid?: string | undefined
}

/** The origin of a change. Every verb that records takes one. */
export interface Origin {
  /** Undefined: the service itself. */
  actor?: Actor | undefined
  /** The IP address of the client. */
  address?: string | undefined
  /** The `x-request-id` of the answer; a command has one per run. */
  requestId?: string | undefined
}

/** The origin of a request, without its actor. */
export type RequestSource = Required<Pick<Origin, 'address' | 'requestId'>>

export type AuditJson = string | number | boolean | null | readonly AuditJson[] | AuditValues
export interface AuditValues {
  readonly [field: string]: AuditJson | undefined
}

/** Something that happened. Never holds a secret, only that one changed. */
export interface AuditEvent extends Origin {
  at: number
  kind: AuditKind
  target?: { kind: string; id: string } | undefined
  /** The person whom it is about, when that is not the target; the client and the session involved. */
  user_uuid?: string | undefined
  client_id?: string | undefined
  sid?: string | undefined
  /** The organisation that the target belongs to: its administrators may read the record. */
  organisation_uuid?: string | undefined
  /** The fields that differ. A new thing has no `before`, a removed one no `after`. */
  before?: AuditValues | undefined
  after?: AuditValues | undefined
  detail?: AuditValues | undefined
}

/** Records an event. `within` is the transaction of the change. */
export async function record(store: Store, event: AuditEvent, within?: Kysely<Schema>): Promise<void> {
  await recordAll(store, [event], within)
}

/** Records events that happened in one transaction, in their order. */
export async function recordAll(
  store: Store,
  events: readonly AuditEvent[],
  within?: Kysely<Schema>,
): Promise<void> {
  const contents = events.map(contentOf)
  if (within !== undefined) return await append(store, within, contents)
  const steps = () => appending(store, contents)
  await (contents.length === 1 ? store.writeOne(steps) : store.write(steps))
}

/** An event as it is stored. */
export function contentOf(event: AuditEvent): AuditContent {
  const actor: Actor = event.actor ?? { kind: 'service' }
  return {
    at: event.at,
    kind: event.kind,
    actor_kind: actor.kind,
    actor_id: text(actor.id),
    actor_profile_uuid: text(actor.profile_uuid),
    actor_role_code: text(actor.role_code),
    actor_organisation_uuid: text(actor.organisation_uuid),
    address: text(event.address),
    request_id: text(event.requestId),
    target_kind: text(event.target?.kind),
    target_id: text(event.target?.id),
    // A filter by person also finds how the person was created, changed and removed.
    user_uuid: text(event.user_uuid ?? (event.target?.kind === 'user' ? event.target.id : undefined)),
    client_id: text(event.client_id),
    sid: text(event.sid),
    organisation_uuid: text(event.organisation_uuid),
    before: json(event.before),
    after: json(event.after),
    detail: json(event.detail),
  }
}

const longest = 1000

/** Text from outside, cut and without characters that a database changes or refuses: the hash is of what is stored. */
function text(value: string | undefined): string | null {
  if (value === undefined) return null
  return value.slice(0, longest).replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD')
}

/** Fields that hold secrets or their hashes. Callers leave them out; this is the safety net. */
const secretFields =
  /^(password|(declared_)?password_hash|client_secrets?|secret(_hash)?|private_key|cookie_hash|id_hash|family_hash|current_hash|predecessors)$/

function json(values: AuditValues | undefined): string | null {
  if (values === undefined) return null
  return JSON.stringify(values, (field: string, value: unknown) =>
    secretFields.test(field) && value !== null && value !== changedSecret ? changedSecret : value,
  )
}

/** Stands in the place of a secret. */
export const changedSecret = '(changed)'
