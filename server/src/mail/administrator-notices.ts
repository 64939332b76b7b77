/**
 * What administrators are told: those of an organisation what is amiss there, the maker of a set-up link what became
 * of it.
 */
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { whoAdministers } from '../store/administrators.ts'
import { maySignIn } from '../store/usable.ts'
import type { NoticeEvent } from './kinds.ts'
import type { Mail } from './mail.ts'
import { type Recorded, toldOf } from './notice-facts.ts'

const day = 86_400_000

const administrative = [
  'break_glass_used',
  'break_glass_changed',
  'domain_gained',
  'domain_lost',
  'sync_stopped',
] as const satisfies NoticeEvent[]
type AdministrativeEvent = (typeof administrative)[number]

/** Whether administrators are told of an event, and not the person whom it is about. */
export const isAdministrative = (event: NoticeEvent | undefined): event is AdministrativeEvent =>
  administrative.some((one) => one === event)

interface AdministrativeNotice {
  record: Recorded
  event: AdministrativeEvent
  now: number
}

/** Tells everybody who administers the organisation or the installation. No link undoes it. */
export async function notifyAdministrators(
  trx: Kysely<Schema>,
  mail: Mail,
  { record, event, now }: AdministrativeNotice,
): Promise<void> {
  const { organisation_uuid } = record
  const organisation = await trx
    .selectFrom('organisations')
    .select('name')
    .where('uuid', '=', organisation_uuid ?? '')
    .executeTakeFirst()
  const told = await toldOf(trx, event, record, 'UTC')
  const named = [...(await breakGlassOf(trx, organisation_uuid))]
  const people = event === 'break_glass_used' ? [record.user_uuid ?? ''] : named
  const who = event.startsWith('break_glass_') ? (await namesOf(trx, people)).join(', ') : (told.name ?? '')
  const name = [
    who === '' ? '–' : who,
    ...(organisation === undefined ? [] : [`(${organisation.name})`]),
  ].join(' ')
  for (const one of await whoAdministers(trx, organisation_uuid, now)) {
    const { uuid: user_uuid, locale } = one
    const data = { ...told, name, zone: one.zoneinfo ?? 'UTC' }
    const to = { address: one.email, name: one.name }
    await mail.post(trx, { kind: 'notice', to, locale, user_uuid, data, expiresAt: now + day, now })
  }
}

async function namesOf(trx: Kysely<Schema>, uuids: readonly string[]): Promise<string[]> {
  if (uuids.length === 0) return []
  const rows = await trx
    .selectFrom('users')
    .select('name')
    .where('uuid', 'in', uuids)
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}

interface OfSetup {
  record: Recorded
  event: Extract<NoticeEvent, 'setup_opened' | 'setup_handed_in'>
  now: number
}

/** Tells who made a set-up link that somebody began by it, or handed it in. A machine or a command has no mailbox. */
export async function notifyMaker(
  trx: Kysely<Schema>,
  mail: Mail,
  { record, event, now }: OfSetup,
): Promise<void> {
  const made = await trx
    .selectFrom('upstream_invitations')
    .innerJoin('organisations', 'organisations.uuid', 'upstream_invitations.organisation_uuid')
    .select(['made_by', 'organisations.name'])
    .where('upstream_invitations.uuid', '=', record.target_id)
    .executeTakeFirst()
  const { kind, id = '' } = JSON.parse(made?.made_by ?? '{}') as { kind?: string; id?: string }
  if (made === undefined || kind !== 'user') return
  const maker = await trx
    .selectFrom('users')
    .select(['uuid', 'email', 'name', 'locale', 'zoneinfo'])
    .where('uuid', '=', id)
    .where(maySignIn)
    .executeTakeFirst()
  if (maker === undefined) return
  const { uuid: user_uuid, locale, email: address } = maker
  const told = await toldOf(trx, event, record, maker.zoneinfo ?? 'UTC')
  const data = { ...told, name: made.name }
  const to = { address, name: maker.name }
  await mail.post(trx, { kind: 'notice', to, locale, user_uuid, data, expiresAt: now + day, now })
}
