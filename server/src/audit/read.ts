import type { AuditKind } from '../protocol/audit-kinds.ts'
import type { AuditRecordRow } from '../database/schema-audit.ts'
import { auditHead, recordAt } from './head.ts'
import type { AuditValues } from './record.ts'
import type { Store } from '../database/store.ts'

/** Filters of a list of records; each is answered from an index. Times in epoch milliseconds. */
export interface AuditFilter {
  /** The id of the actor: a user's uuid, a client_id, or a command's `user@host`. */
  actor?: string | undefined
  /** The id of the target. */
  target?: string | undefined
  kind?: string | undefined
  /** The request that it happened in. */
  request?: string | undefined
  /** Only the record of this number. */
  sequence?: number | undefined
  /** The person whom the record is about. */
  user?: string | undefined
  /** The organisation that the target belongs to. */
  organisation?: string | undefined
  /** Adds the sign-ins and sign-outs of `user` to the records of `organisation`: they belong to none. */
  signingIn?: boolean | undefined
  from?: number | undefined
  /** Exclusive. */
  to?: number | undefined
}

/** A record as the API, exports and webhooks show it; empty fields are left out. */
export interface AuditRecord {
  sequence: number
  /** ISO 8601, UTC. */
  at: string
  kind: string
  actor: {
    kind: string
    id?: string
    profile_uuid?: string
    role_code?: string
    organisation_uuid?: string
  }
  address?: string
  request_id?: string
  target?: { kind: string; id: string }
  user_uuid?: string
  client_id?: string
  sid?: string
  organisation_uuid?: string
  before?: AuditValues
  after?: AuditValues
  detail?: AuditValues
  previous: string
  hash: string
  mac?: string
}

/** Records, newest first. `before` is the sequence of the last record of the previous page. */
export async function listAudit(
  store: Store,
  filter: AuditFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<AuditRecord[]> {
  const at = before === undefined ? undefined : await timeOf(store, before)
  const rows = await filtered(store, filter)
    .$if(at !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('at', 'sequence'), '<', tuple(at ?? 0, before ?? 0)),
      ),
    )
    .orderBy('at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(limit)
    .execute()
  return rows.map(auditRecord)
}

/**
 * Records that were added after a sequence, in their order. The next call goes on from `reached`; numbers become visible
 * in their order (see `append`), so none is missed.
 */
export async function followAudit(
  store: Store,
  filter: AuditFilter,
  { after, limit }: { after: number; limit: number },
): Promise<{ records: AuditRecord[]; reached: number }> {
  const { sequence: end } = await auditHead(store)
  if (end <= after) return { records: [], reached: after }
  const rows = await filtered(store, filter)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
  const last = rows.at(-1)?.sequence ?? after
  const reached = rows.length < limit ? Math.max(end, last) : last
  return { records: rows.map(auditRecord), reached }
}

const signingInKinds: readonly AuditKind[] = [
  'sign_in.succeeded',
  'sign_in.failed',
  'sign_in.throttled',
  'sign_out',
  'session.ended',
]

function filtered(store: Store, filter: AuditFilter) {
  const { actor, target, kind, request, sequence, user, organisation, signingIn, from, to } = filter
  let query = store.db.selectFrom('audit_records').selectAll()
  if (actor !== undefined) query = query.where('actor_id', '=', actor)
  if (target !== undefined) query = query.where('target_id', '=', target)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (request !== undefined) query = query.where('request_id', '=', request)
  if (sequence !== undefined) query = query.where('sequence', '=', sequence)
  if (user !== undefined) query = query.where('user_uuid', '=', user)
  if (organisation !== undefined) {
    query = query.where((w) => {
      const own = w('organisation_uuid', '=', organisation)
      if (signingIn !== true || user === undefined) return own
      return w.or([own, w.and([w('organisation_uuid', 'is', null), w('kind', 'in', signingInKinds)])])
    })
  }
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<', to)
  return query
}

/** 0 for an unknown record, so that nothing comes before it. */
async function timeOf(store: Store, sequence: number): Promise<number> {
  const row = await store.read(recordAt({ sequence }))
  return row?.at ?? 0
}

export function auditRecord(row: AuditRecordRow): AuditRecord {
  const { target_kind: kind, target_id: id } = row
  const record = {
    sequence: row.sequence,
    at: isoTime(row.at),
    kind: row.kind,
    actor: withoutNull({
      kind: row.actor_kind,
      id: row.actor_id,
      profile_uuid: row.actor_profile_uuid,
      role_code: row.actor_role_code,
      organisation_uuid: row.actor_organisation_uuid,
    }),
    address: row.address,
    request_id: row.request_id,
    target: kind === null || id === null ? null : { kind, id },
    user_uuid: row.user_uuid,
    client_id: row.client_id,
    sid: row.sid,
    organisation_uuid: row.organisation_uuid,
    before: values(row.before),
    after: values(row.after),
    detail: values(row.detail),
    previous: row.previous,
    hash: row.hash,
    mac: row.mac,
  }
  return withoutNull(record) as AuditRecord
}

/** An altered row may hold text that is no JSON; it is shown as it is. */
function values(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An altered row may hold a number that is no time; it is shown as it is. */
function isoTime(at: number): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString()
}

function withoutNull(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null))
}

/** The reverse of `auditRecord`, so that an export can be checked by itself. */
export function auditRow(record: AuditRecord): AuditRecordRow {
  const { actor, target, before, after, detail } = record
  const json = (value: AuditValues | undefined) => (value === undefined ? null : JSON.stringify(value))
  return {
    sequence: record.sequence,
    previous: record.previous,
    hash: record.hash,
    mac: record.mac ?? null,
    at: Date.parse(record.at),
    kind: record.kind,
    actor_kind: actor.kind,
    actor_id: actor.id ?? null,
    actor_profile_uuid: actor.profile_uuid ?? null,
    actor_role_code: actor.role_code ?? null,
    actor_organisation_uuid: actor.organisation_uuid ?? null,
    address: record.address ?? null,
    request_id: record.request_id ?? null,
    target_kind: target?.kind ?? null,
    target_id: target?.id ?? null,
    user_uuid: record.user_uuid ?? null,
    client_id: record.client_id ?? null,
    sid: record.sid ?? null,
    organisation_uuid: record.organisation_uuid ?? null,
    before: json(before),
    after: json(after),
    detail: json(detail),
  }
}
