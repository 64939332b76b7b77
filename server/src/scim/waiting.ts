/** Resources that wait for their person, who has come through an upstream of the organisation. */
import type { AuditEvent } from '../audit/record.ts'
import { rowOf, rowsOf } from '../database/rows.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import type { MappingRule } from '../upstream/upstream.ts'
import type { ScimDirectory, Transacting } from './directory.ts'
import { settlePerson } from './person.ts'
import { isKind, writeRow } from './rows.ts'

/** Somebody who was linked just now, and as whom. */
export interface Arrived {
  organisation_uuid: string
  user_uuid: string
  subject: string
}

/**
 * Ties the one resource of each directory that waits for somebody: by the field that is their subject, or by their address.
 * What it says counts from then on. Where several wait for the same person, none is tied. Yields what is to be recorded.
 */
export async function tieWaiting(trx: Transacting, arrived: Arrived, now: number): Promise<AuditEvent[]> {
  const { organisation_uuid, user_uuid } = arrived
  if ((await breakGlassOf(trx, organisation_uuid)).has(user_uuid)) return []
  const events: AuditEvent[] = []
  const active = await rowsOf(trx, 'directories', { organisation_uuid, active: 1 }).execute()
  for (const { uuid, subject, mapping } of active) {
    const id = await waitingFor(trx, arrived, { uuid, subject })
    const row = id === undefined ? undefined : await rowOf(trx, 'scim_resources', { id })
    if (row === undefined) continue
    const rules = JSON.parse(mapping) as MappingRule[]
    const source = { kind: 'directory', uuid, organisation_uuid, mapping: rules, countsUntil: null } as const
    const directory: ScimDirectory = { ...source, now }
    const tied = await writeRow(trx, { ...row, user_uuid }, now)
    events.push({
      at: now,
      kind: 'link.created',
      actor: { kind: 'directory', id: uuid },
      target: { kind: 'user', id: user_uuid },
      user_uuid,
      organisation_uuid,
      detail: { resource: row.id },
    })
    events.push(...(await settlePerson(trx, directory, tied)))
  }
  return events
}

async function waitingFor(
  trx: Transacting,
  { user_uuid, subject: who }: Arrived,
  { uuid, subject }: { uuid: string; subject: 'externalId' | 'userName' | 'id' | null },
): Promise<string | undefined> {
  const of = () =>
    trx
      .selectFrom('scim_resources')
      .select('scim_resources.id')
      .where('directory_uuid', '=', uuid)
      .where('kind', '=', isKind('User'))
      .where('deleted_at', 'is', null)
  const tied = await of().where('user_uuid', '=', user_uuid).limit(1).execute()
  if (tied.length > 0) return undefined
  const waiting = () => of().where('user_uuid', 'is', null)
  const column = { externalId: 'external_id', userName: 'name_key', id: 'id' } as const
  if (subject !== null) {
    const [named] = await waiting()
      .select('data')
      .where(column[subject], '=', subject === 'userName' ? who.toLowerCase() : who)
      .execute()
    const isNamed =
      subject !== 'userName' || (JSON.parse(named?.data ?? '{}') as { userName?: unknown }).userName === who
    if (named !== undefined && isNamed) return named.id
  }
  const user = await rowOf(trx, 'users', { uuid: user_uuid })
  const [found, ...others] = await waiting()
    .where((where) =>
      where.or([
        where('name_key', '=', user?.email_key ?? ''),
        where('scim_resources.id', 'in', (emails) =>
          emails
            .selectFrom('scim_emails')
            .select('user_id')
            .where('email_key', '=', user?.email_key ?? ''),
        ),
      ]),
    )
    .limit(2)
    .execute()
  return others.length > 0 ? undefined : found?.id
}
