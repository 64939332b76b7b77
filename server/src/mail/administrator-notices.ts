/** What all administrators of an organisation are told: who gets in when its upstream does not work. */
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { whoAdministers } from '../store/administrators.ts'
import type { NoticeEvent } from './kinds.ts'
import type { Mail } from './mail.ts'
import { type Recorded, toldOf } from './notice-facts.ts'

const day = 86_400_000

interface OfBreakGlass {
  record: Recorded
  event: Extract<NoticeEvent, 'break_glass_used' | 'break_glass_changed'>
  now: number
}

/** Tells everybody who administers the organisation or the installation. No link undoes it. */
export async function notifyAdministrators(
  trx: Kysely<Schema>,
  mail: Mail,
  { record, event, now }: OfBreakGlass,
): Promise<void> {
  const { organisation_uuid } = record
  const organisation = await trx
    .selectFrom('organisations')
    .select('name')
    .where('uuid', '=', organisation_uuid ?? '')
    .executeTakeFirst()
  const named = [...(await breakGlassOf(trx, organisation_uuid))]
  const people = await namesOf(trx, event === 'break_glass_used' ? [record.user_uuid ?? ''] : named)
  const who = people.length === 0 ? '–' : people.join(', ')
  const name = organisation === undefined ? who : `${who} (${organisation.name})`
  const told = await toldOf(trx, event, record, 'UTC')
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
