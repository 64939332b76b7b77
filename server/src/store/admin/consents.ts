import { type Kysely, type NotNull, sql } from 'kysely'
import { notFound } from '../../protocol/problem.ts'
import { record } from '../audit.ts'
import { withdrawWithin } from '../consents.ts'
import type { Store } from '../open.ts'
import type { ConsentRow, Schema } from '../schema.ts'
import type { By } from './change.ts'
import { type Authority, isMember, profilesHeldBy, type Reach } from './reach.ts'
import { ending, requireUser } from './sessions.ts'

export interface ConsentFilter {
  reach: Reach
  userUuid: string | undefined
  clientId: string | undefined
}

/** A consent, and whose it is. */
export interface ConsentGiven extends ConsentRow {
  email: string
}

/** The next consents by person and client, at most `limit`; `after` is the last of the page before. */
export async function listConsentsGiven(
  { db }: Store,
  { reach, userUuid, clientId }: ConsentFilter,
  after: Pick<ConsentRow, 'user_uuid' | 'client_id'> | undefined,
  limit: number,
): Promise<{ rows: ConsentGiven[]; next: ConsentGiven | undefined }> {
  requireUser(reach, userUuid)
  if (userUuid !== undefined && !(await isMember(db, userUuid, reach))) return { rows: [], next: undefined }
  const elsewhere = await belongsElsewhere(db, userUuid, reach)
  const rows = await db
    .selectFrom('consents')
    .selectAll()
    .select((consent) =>
      consent
        .selectFrom('users')
        .select('email')
        .whereRef('users.uuid', '=', 'consents.user_uuid')
        .as('email'),
    )
    .$narrowType<{ email: NotNull }>()
    .$if(elsewhere, (query) => query.where(withinOrganisation(reach.organisationUuid ?? '')))
    .$if(userUuid !== undefined, (query) => query.where('user_uuid', '=', userUuid ?? ''))
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('user_uuid', 'client_id'), '>', tuple(after?.user_uuid ?? '', after?.client_id ?? '')),
      ),
    )
    .orderBy('user_uuid')
    .orderBy('client_id')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? page.at(-1) : undefined }
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

/** Withdraws a consent, revokes what it gave, and records it. Concurrency: see `ending`. */
export async function withdrawConsentOf(
  store: Store,
  by: By,
  authority: Authority,
  { userUuid, clientId }: { userUuid: string; clientId: string },
): Promise<void> {
  await ending(store, by, async (trx) => {
    if (!(await isMember(trx, userUuid, authority.reach))) throw notFound('consent')
    authority.changes(await profilesHeldBy(trx, userUuid, authority.reach))
    const scopes = await withdrawWithin(trx, { userUuid, clientId, now: by.now })
    if (scopes === undefined) throw notFound('consent')
    const { now: at, ...origin } = by
    const about = { target: { kind: 'client', id: clientId }, userUuid, before: { scopes } }
    const { organisationUuid } = authority.reach
    await record(store, { at, kind: 'consent.withdrawn', ...origin, ...about, organisationUuid }, trx)
  })
}
