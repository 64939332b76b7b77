import type { Kysely } from 'kysely'
import type { ActorKind, AuditKind } from '../protocol/audit-kinds.ts'
import { append, type AuditContent } from './audit-chain.ts'
import type { Store } from './open.ts'
import type { Schema } from './schema.ts'

/** Who did something, and under which profile, where they act under one. */
export interface Actor {
  kind: ActorKind
  /** The uuid of a user, a client_id, or for a command who ran it. */
  id?: string | undefined
  profileUuid?: string | undefined
  roleCode?: string | undefined
  organisationUuid?: string | undefined
}

/** Where a change comes from: what every verb that records is given. */
export interface Origin {
  /** Left out: the service itself. */
  actor?: Actor | undefined
  /** The client's, as trusted proxies tell it. */
  address?: string | undefined
  /** The `x-request-id` of the answer; of a command, one for all that one run does. */
  requestId?: string | undefined
}

/** Where a request comes from, as whoever answers it knows it. */
export type Source = Required<Pick<Origin, 'address' | 'requestId'>>

export type AuditJson = string | number | boolean | null | readonly AuditJson[] | AuditValues
export interface AuditValues {
  readonly [field: string]: AuditJson | undefined
}

/** Something that happened. Never holds a secret: that one changed is all that is told of it. */
export interface AuditEvent extends Origin {
  at: number
  kind: AuditKind
  /** What it happened to. */
  target?: { kind: string; id: string } | undefined
  /** The person whom it is about, where that is not the target; the client and the session that it went through. */
  userUuid?: string | undefined
  clientId?: string | undefined
  sid?: string | undefined
  /** The organisation that the target belongs to: its administrators may read the record. */
  organisationUuid?: string | undefined
  /** The fields that differ, as they were and as they are. Without `before` it is new, without `after` gone. */
  before?: AuditValues | undefined
  after?: AuditValues | undefined
  /** What else there is to say. */
  detail?: AuditValues | undefined
}

/**
 * Appends an event to the audit. `within` is the transaction of the change that it tells of, where there is one;
 * recording is the last thing that it does (see `append`).
 */
export async function record(store: Store, event: AuditEvent, within?: Kysely<Schema>): Promise<void> {
  await recordAll(store, [event], within)
}

/** Appends events that happened in one transaction, in their order. */
export async function recordAll(
  store: Store,
  events: readonly AuditEvent[],
  within?: Kysely<Schema>,
): Promise<void> {
  const contents = events.map(contentOf)
  if (within !== undefined) return await append(within, contents)
  await store.db.transaction().execute((trx) => append(trx, contents))
}

/** As it is stored. */
export function contentOf(event: AuditEvent): AuditContent {
  const actor: Actor = event.actor ?? { kind: 'service' }
  return {
    at: event.at,
    kind: event.kind,
    actor_kind: actor.kind,
    actor_id: text(actor.id),
    actor_profile_uuid: text(actor.profileUuid),
    actor_role_code: text(actor.roleCode),
    actor_organisation_uuid: text(actor.organisationUuid),
    address: text(event.address),
    request_id: text(event.requestId),
    target_kind: text(event.target?.kind),
    target_id: text(event.target?.id),
    // Whoever asks what concerns a person is told as well how they were made, changed and removed.
    user_uuid: text(event.userUuid ?? (event.target?.kind === 'user' ? event.target.id : undefined)),
    client_id: text(event.clientId),
    sid: text(event.sid),
    organisation_uuid: text(event.organisationUuid),
    before: json(event.before),
    after: json(event.after),
    detail: json(event.detail),
  }
}

const longest = 1000

/** What others sent may be of any length and hold what a database changes or refuses; the hash is of what it keeps. */
function text(value: string | undefined): string | null {
  if (value === undefined) return null
  return value.slice(0, longest).replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD')
}

/** Fields that hold secrets or their hashes. Callers leave them out; this is for those who forget. */
const secretFields =
  /^(password|(declared_)?password_hash|client_secrets?|secret(_hash)?|private_key|cookie_hash|id_hash|family_hash|current_hash|predecessors)$/

function json(values: AuditValues | undefined): string | null {
  if (values === undefined) return null
  return JSON.stringify(values, (field: string, value: unknown) =>
    secretFields.test(field) && value !== null && value !== changedSecret ? changedSecret : value,
  )
}

/** What stands for a secret: that there is one, or that it is another. */
export const changedSecret = '(changed)'
