import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { AuditKind } from '../protocol/audit-kinds.ts'
import { emailKey, maskedEmail } from '../protocol/email-address.ts'
import { heldAddress } from '../store/addresses.ts'
import { makeLink, type NewLink, type NoticeData } from '../store/links.ts'
import { repudiable } from '../store/removed-factors.ts'
import { maySignIn } from '../store/usable.ts'
import type { Service } from '../service.ts'
import { isAdministrative, notifyAdministrators, notifyMaker } from './administrator-notices.ts'
import type { NoticeEvent } from './kinds.ts'
import type { Mail } from './mail.ts'
import { type Recorded, textIn, toldOf } from './notice-facts.ts'

const day = 86_400_000
/** How many records one step looks at. */
const step = 1000

/** The page of “this was not me”. */
export const notMePath = '/account/not-me'

/** The events that people get a notice of, by the kind of the record. */
const events: Readonly<Partial<Record<AuditKind, NoticeEvent>>> = {
  'sign_in.succeeded': 'new_device',
  'sign_in.stepped_up': 'new_device',
  'sign_in.throttled': 'second_factor_failed',
  'user.changed': 'password_changed',
  'address.changed': 'address_changed',
  'password_reset.completed': 'password_changed',
  'factor.created': 'factor_created',
  'factor.removed': 'factor_removed',
  'factor.suspended': 'factor_suspended',
  'recovery_codes.created': 'recovery_codes_created',
  'recovery_code.used': 'recovery_code_used',
  'deletion.requested': 'deletion_requested',
  'deletion.undone': 'deletion_undone',
  'link.created': 'link_created',
  'link.removed': 'link_removed',
  'break_glass.used': 'break_glass_used',
  'organisation.changed': 'break_glass_changed',
  'break_glass.changed': 'break_glass_changed',
  'domain.changed': 'domain_gained',
  'sync.stopped': 'sync_stopped',
  'upstream_invitation.opened': 'setup_opened',
  'upstream_invitation.handed_in': 'setup_handed_in',
}
/** Kinds that are about no person, and yet somebody is told of. */
const ofNobody: readonly AuditKind[] = [
  'organisation.changed',
  'break_glass.changed',
  'domain.changed',
  'sync.stopped',
  'upstream_invitation.opened',
  'upstream_invitation.handed_in',
]
const kinds = Object.keys(events)

/**
 * The audit is the outbox of notices: whatever changes how somebody signs in is recorded, whoever does it, and in the
 * transaction that changes it. Each step reads the next records, and posts the notices that follow from them. Where mail
 * was set up just now, it begins with the next record.
 */
export function noticeWriter(): (service: Service, mail: Mail) => Promise<boolean> {
  /** Up to which record there was nothing to tell after a position. Kept in memory: sign-ins cost no further write. */
  let seen = { position: 0, reached: 0 }
  return async (service, mail) => {
    const { store, now } = service
    const { head, position } = await endsOf(store.db)
    if (position === undefined) {
      const begin = { name: 'notices', position: head }
      await store.db
        .insertInto('webhook_outbox')
        .values(begin)
        .onConflict((one) => one.doNothing())
        .execute()
      return false
    }
    // A failover that lost something moves the position or the head back.
    const after = seen.position === position && seen.reached <= head ? seen.reached : position
    if (head <= after) return false
    const reached = Math.min(head, after + step)
    const records = await tellable(store.db, { after, reached, since: now() - day })
    const isOurs =
      records.length === 0 ||
      (await store.upkeep.transaction().execute(async (trx) => {
        // One of several processes posts them.
        const moved = await trx
          .updateTable('webhook_outbox')
          .set({ position: reached })
          .where('name', '=', 'notices')
          .where('position', '=', position)
          .returning('name')
          .executeTakeFirst()
        if (moved === undefined) return false
        for (const record of withoutTwins(records)) await notify(trx, mail, record, now())
        return true
      }))
    if (records.length === 0) seen = { position, reached }
    return isOurs && reached < head
  }
}

async function endsOf(db: Kysely<Schema>): Promise<{ head: number; position: number | undefined }> {
  const row = await db
    .selectFrom('audit_head')
    .leftJoin('webhook_outbox', (on) => on.on('webhook_outbox.name', '=', 'notices'))
    .select(['audit_head.sequence as head', 'webhook_outbox.position'])
    .where('audit_head.name', '=', 'chain')
    .executeTakeFirstOrThrow()
  return { head: row.head, position: row.position ?? undefined }
}

/** The records of these that somebody is told of. What was recorded more than a day ago is no news. */
async function tellable(
  db: Kysely<Schema>,
  { after, reached, since }: { after: number; reached: number; since: number },
): Promise<Recorded[]> {
  return await db
    .selectFrom('audit_records as a')
    .select([
      'sequence',
      'at',
      'kind',
      'actor_kind',
      'actor_id',
      'address',
      'request_id',
      'target_id',
      'user_uuid',
      'organisation_uuid',
      'client_id',
      'sid',
      'before',
      'after',
      'detail',
    ])
    .where('sequence', '>', after)
    .where('sequence', '<=', reached)
    .where('at', '>', since)
    .where((a) => a.or([a('user_uuid', 'is not', null), a('kind', 'in', ofNobody)]))
    .where('kind', 'in', kinds)
    .where(
      sql<boolean>`case a.kind
        when 'sign_in.succeeded' then a.detail not like '%"second_factor":"due"%' and ${newDevice}
        when 'sign_in.stepped_up' then ${newDevice}
        when 'sign_in.throttled' then a.detail like '%"counted_by":"second_factor","failures":5,%'
        -- An import brings what people have already.
        when 'factor.created' then a.actor_kind <> 'command'
        when 'user.changed' then a.after like '%"password":"(changed)"%' or a.after like '%"email":%'
        when 'organisation.changed' then a.after like '%"break_glass":%'
        when 'domain.changed' then a.detail like '%"reason":"moved"%'
        -- A directory's own account is no way to sign in, and a new account has no other.
        when 'link.created' then a.target_kind = 'upstream' and not exists (
          select 1 from users as u where u.uuid = a.user_uuid and u.created_at = a.at)
        else a.detail is null or a.detail not like '%"reason":"repudiated"%' end`,
    )
    .orderBy('sequence')
    .execute()
}

/** The browser became known with this very sign-in, and is not the person's first. */
const newDevice = sql`exists (
  select 1 from devices as d where d.user_uuid = a.user_uuid and d.created_at = a.at
  and exists (select 1 from devices as e where e.user_uuid = a.user_uuid and e.created_at < a.at))`

/** The recovery codes that come with a first factor are part of its notice. */
const withoutTwins = (records: readonly Recorded[]): readonly Recorded[] =>
  records.filter(
    ({ kind, request_id: request, user_uuid: user }) =>
      kind !== 'recovery_codes.created' ||
      !records.some(
        (one) => one.kind === 'factor.created' && one.request_id === request && one.user_uuid === user,
      ),
  )

async function notify(trx: Kysely<Schema>, mail: Mail, record: Recorded, now: number): Promise<void> {
  const isLost = record.kind === 'domain.changed' && record.after?.includes('"holds":false') === true
  const event = isLost ? 'domain_lost' : events[record.kind as AuditKind]
  if (isAdministrative(event)) return await notifyAdministrators(trx, mail, { record, event, now })
  if (event === 'setup_opened' || event === 'setup_handed_in')
    return await notifyMaker(trx, mail, { record, event, now })
  const user = await trx
    .selectFrom('users')
    .select(['uuid', 'email', 'name', 'locale', 'zoneinfo'])
    .where('uuid', '=', record.user_uuid ?? '')
    .where(maySignIn)
    .executeTakeFirst()
  if (user === undefined) return
  const before = textIn(record.before, 'email')
  if (before !== undefined) await notifyOfAddress(trx, mail, { record, user, before, now })
  if (event === undefined || (before !== undefined && textIn(record.after, 'password') === undefined)) return
  const told = await toldOf(trx, event, record, user.zoneinfo ?? 'UTC')
  const factor = event.startsWith('factor_') ? (record.target_id ?? undefined) : undefined
  const to = { address: user.email, name: user.name }
  const days = repudiable / day
  const rest = { to, locale: user.locale, user_uuid: user.uuid, expiresAt: now + day, now }
  const upstream = event === 'link_created' ? (record.target_id ?? undefined) : undefined
  const undoes = { event, factor, upstream, at: record.at, stands: told.byAdministrator }
  const linkOf = async (data: NoticeData) => {
    const kept = { ...data, to: emailKey(user.email) }
    const subject = String(record.sequence)
    return await linkTo(trx, { subject, data: kept, user_uuid: user.uuid, expiresAt: now + repudiable, now })
  }
  const link = await linkOf(undoes)
  if (await mail.post(trx, { ...rest, kind: 'notice', data: { ...told, days }, link })) return
  // The link that nobody got is replaced, or ends unknown.
  await mail.postBeyond(trx, { ...rest, told, undoes, days }, linkOf)
}

const linkTo = async (trx: Kysely<Schema>, link: Omit<NewLink, 'purpose'>) => ({
  path: notMePath,
  text: await makeLink(trx, { purpose: 'notice', ...link }),
})

interface OfAddress {
  record: Recorded
  user: { uuid: string; email: string; name: string; locale: string | null; zoneinfo: string | null }
  /** The address from before. */
  before: string
  now: number
}

/** Tells both addresses. That from before can undo it, where the person changed it. */
async function notifyOfAddress(
  trx: Kysely<Schema>,
  mail: Mail,
  { record, user, before, now }: OfAddress,
): Promise<void> {
  const { uuid: user_uuid, name } = user
  const after = textIn(record.after, 'email') ?? user.email
  const told = await toldOf(trx, 'address_changed', record, user.zoneinfo ?? 'UTC')
  const data = { ...told, name: maskedEmail(after) }
  const always = { locale: user.locale, user_uuid, expiresAt: now + day, always: true, now }
  const post = { ...always, kind: 'notice' } as const
  if (emailKey(after) !== emailKey(before))
    await mail.post(trx, { ...post, to: { address: after, name }, data })
  const held = await heldAddress(trx, { user_uuid, email: before, now })
  if (held === undefined || record.kind !== 'address.changed')
    return void (await mail.post(trx, { ...post, to: { address: before, name }, data }))
  const undoing = { event: 'address_changed', at: record.at, address: before }
  const { expiresAt } = held
  const link = await linkTo(trx, {
    subject: String(record.sequence),
    data: undoing,
    user_uuid,
    expiresAt,
    now,
  })
  const days = repudiable / day
  await mail.post(trx, { ...post, to: { address: before, name }, data: { ...data, days }, link })
}
