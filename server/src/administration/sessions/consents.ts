import { type Kysely, type NotNull, type Selectable, sql } from 'kysely'
import { notFound } from '../../protocol/problem.ts'
import { toldOf, withdrawWithin } from '../../store/consents.ts'
import { rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import type { Schema } from '../../database/schema.ts'
import type { ConsentRow } from '../../database/schema-tokens.ts'
import type { By } from '../by.ts'
import { type Reach, isMember, profilesHeldBy } from '../../access/reach.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { change } from '../change.ts'
import { requireUser } from './verbs.ts'

export interface ConsentFilter {
  reach: Reach
  user_uuid: string | undefined
  client_id: string | undefined
}

/** A consent, and whose it is. */
export interface ConsentGiven extends Selectable<ConsentRow> {
  email: string
}

/** The next consents by person and client, at most `limit`. */
export async function listConsentsGiven(
  { db }: Store,
  { reach, user_uuid, client_id }: ConsentFilter,
  after: After,
  limit: number,
): Promise<Page<ConsentGiven>> {
  requireUser(reach, user_uuid)
  if (user_uuid !== undefined && !(await isMember(db, user_uuid, reach))) return emptyPage
  const elsewhere = await belongsElsewhere(db, user_uuid, reach)
  const matching = rowsOf(db, 'consents', { user_uuid, client_id })
    .select((consent) =>
      consent
        .selectFrom('users')
        .select('email')
        .whereRef('users.uuid', '=', 'consents.user_uuid')
        .as('email'),
    )
    .$narrowType<{ email: NotNull }>()
    .$if(elsewhere, (query) => query.where(withinOrganisation(reach.organisation_uuid ?? '')))
  return await pageBy(matching, ['user_uuid', 'client_id'], { after, limit })
}

/** Whether somebody belongs elsewhere too, where their clients are as if they did not exist. */
async function belongsElsewhere(
  db: Kysely<Schema>,
  user_uuid: string | undefined,
  reach: Reach,
): Promise<boolean> {
  if (reach.organisation_uuid === undefined || user_uuid === undefined) return false
  return (await profilesHeldBy(db, user_uuid, reach)).some((one) => !one.within)
}

const withinOrganisation = (organisation_uuid: string) => sql<boolean>`not exists (
  select 1 from clients
  where clients.client_id = consents.client_id and clients.organisation_uuid <> ${organisation_uuid}
)`

/** Withdraws a consent, revokes what it gave, and records it. Concurrency: see `change`. */
export async function withdrawConsentOf(
  store: Store,
  by: By,
  { user_uuid, client_id }: { user_uuid: string; client_id: string },
): Promise<void> {
  await change(store, by, async (trx) => {
    const { reach } = by.authority
    if (!(await isMember(trx, user_uuid, reach))) throw notFound('consent')
    by.authority.changes(await profilesHeldBy(trx, user_uuid, reach))
    const allowed = await withdrawWithin(trx, { user_uuid, client_id, now: by.now })
    if (allowed === undefined) throw notFound('consent')
    const target = { kind: 'client', id: client_id }
    const about = { target, user_uuid, organisation_uuid: reach.organisation_uuid, before: toldOf(allowed) }
    return { result: undefined, events: [{ kind: 'consent.withdrawn', ...about }] }
  })
}
