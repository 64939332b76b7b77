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
  userUuid: string | undefined
  clientId: string | undefined
}

/** A consent, and whose it is. */
export interface ConsentGiven extends Selectable<ConsentRow> {
  email: string
}

/** The next consents by person and client, at most `limit`. */
export async function listConsentsGiven(
  { db }: Store,
  { reach, userUuid, clientId }: ConsentFilter,
  after: After,
  limit: number,
): Promise<Page<ConsentGiven>> {
  requireUser(reach, userUuid)
  if (userUuid !== undefined && !(await isMember(db, userUuid, reach))) return emptyPage
  const elsewhere = await belongsElsewhere(db, userUuid, reach)
  const matching = rowsOf(db, 'consents', { user_uuid: userUuid, client_id: clientId })
    .select((consent) =>
      consent
        .selectFrom('users')
        .select('email')
        .whereRef('users.uuid', '=', 'consents.user_uuid')
        .as('email'),
    )
    .$narrowType<{ email: NotNull }>()
    .$if(elsewhere, (query) => query.where(withinOrganisation(reach.organisationUuid ?? '')))
  return await pageBy(matching, ['user_uuid', 'client_id'], { after, limit })
}

/** Whether somebody belongs elsewhere too, where their clients are as if they did not exist. */
async function belongsElsewhere(
  db: Kysely<Schema>,
  userUuid: string | undefined,
  reach: Reach,
): Promise<boolean> {
  if (reach.organisationUuid === undefined || userUuid === undefined) return false
  return (await profilesHeldBy(db, userUuid, reach)).some((one) => !one.within)
}

const withinOrganisation = (organisationUuid: string) => sql<boolean>`not exists (
  select 1 from clients
  where clients.client_id = consents.client_id and clients.organisation_uuid <> ${organisationUuid}
)`

/** Withdraws a consent, revokes what it gave, and records it. Concurrency: see `change`. */
export async function withdrawConsentOf(
  store: Store,
  by: By,
  { userUuid, clientId }: { userUuid: string; clientId: string },
): Promise<void> {
  await change(store, by, async (trx) => {
    const { reach } = by.authority
    if (!(await isMember(trx, userUuid, reach))) throw notFound('consent')
    by.authority.changes(await profilesHeldBy(trx, userUuid, reach))
    const allowed = await withdrawWithin(trx, { userUuid, clientId, now: by.now })
    if (allowed === undefined) throw notFound('consent')
    const target = { kind: 'client', id: clientId }
    const about = { target, userUuid, organisationUuid: reach.organisationUuid, before: toldOf(allowed) }
    return { result: undefined, events: [{ kind: 'consent.withdrawn', ...about }] }
  })
}
