import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { isOrganisationWithin, isOwnedWithin, organisationListed, type Reach } from '../../access/reach.ts'
import type { InvitedBy } from '../../catalogue/invitation.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import type { Schema } from '../../database/schema.ts'
import type { Store } from '../../database/store.ts'
import { encryptedUpstream } from '../../keys/upstream-secret.ts'
import { hashSecret } from '../../protocol/identifier.ts'
import { notFound, Problem } from '../../protocol/problem.ts'
import type { Reading } from '../../store/in-transaction.ts'
import { newKey } from '../../upstream/saml-metadata.ts'
import { type Authority, authorityAgain } from '../authority.ts'
import type { By, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { inviterOf } from '../invitations/inviting.ts'
import { checkOwner } from '../placement.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { stateAt, type UpstreamInvitation, type UpstreamInvitationState } from './shown.ts'

const day = 24 * 3_600_000
/** How long a set-up link is open. */
const openFor = 3 * day
/** Set-up links of one organisation that are open or handed in, at a time. */
const mostOfOrganisation = 10

/** What it takes to make one, asked again at each use of it. */
export const permission = 'iam.upstreams.create'

/** The link of this uuid within the reach. */
export async function findUpstreamInvitation(
  db: Kysely<Schema>,
  uuid: string,
  { reach }: Authority,
): Promise<UpstreamInvitation | undefined> {
  const row = await rowOf(db, 'upstream_invitations', { uuid })
  return row !== undefined && isOwnedWithin(reach, row) ? row : undefined
}

interface Narrowed {
  organisation_uuid?: string | undefined
  state?: UpstreamInvitationState | undefined
}

/** The next set-up links within the reach by uuid, at most `limit`. */
export async function listUpstreamInvitations(
  { db }: Store,
  reach: Reach,
  { organisation_uuid: asked, state }: Narrowed,
  { after, limit, now }: { after: After; limit: number; now: number },
): Promise<Page<UpstreamInvitation>> {
  const organisation_uuid = organisationListed(reach, asked)
  if (organisation_uuid === null || reach.unit_uuid !== undefined) return emptyPage
  const isExpired = state === 'expired'
  const isTimed = isExpired || state === 'open' || state === 'handed_in'
  const kept = isExpired ? (['open', 'handed_in'] as const) : state
  const matching = rowsOf(db, 'upstream_invitations', { organisation_uuid, state: kept }).$if(
    isTimed,
    (query) => query.where('expires_at', isExpired ? '<=' : '>', now),
  )
  return await pageBy(matching, ['uuid'], { after, limit })
}

/** What the audit is told of one beside the kind. */
export const about = ({
  uuid,
  organisation_uuid,
}: Pick<UpstreamInvitation, 'uuid' | 'organisation_uuid'>) => ({
  target: { kind: 'upstream_invitation', id: uuid },
  organisation_uuid,
})

/**
 * Makes a set-up link for an organisation. Throws where the caller could make no upstream there. Concurrency: see
 * `changeOnce`; of parallel calls none adds an eleventh.
 */
export async function createUpstreamInvitation(
  store: Store,
  by: By,
  { organisation_uuid, link, secret }: { organisation_uuid: string; link: string; secret: string },
  repeatable: Repeatable<UpstreamInvitation> | undefined,
): Promise<Created<UpstreamInvitation>> {
  const [key, upstream_uuid] = [await newKey(), randomUUID()]
  return await changeOnce(store, by, repeatable, async (trx) => {
    await checkOwner(trx, 'upstream', organisation_uuid, by.authority)
    if (!(await isThere(trx, 'organisations', { uuid: organisation_uuid, active: 1 })))
      throw new Problem('conflict', 'The organisation is disabled.')
    await makeRoom(trx, organisation_uuid, by.now)
    wantRecentSignIn(by)
    const none = {
      secret: null,
      token_hash: null,
      trial_id: null,
      tried_at: null,
      opened_at: null,
      handed_in_at: null,
    }
    const row = {
      ...none,
      uuid: randomUUID(),
      organisation_uuid,
      hash: hashSecret(link),
      state: 'open',
      made_by: JSON.stringify(inviterOf(by)),
      upstream_uuid,
      entry: '{}',
      private_key: encryptedUpstream(key, upstream_uuid, 'private_key', secret),
      confirmed_at: null,
      created_at: by.now,
      updated_at: by.now,
      expires_at: by.now + openFor,
    } as const
    await trx.insertInto('upstream_invitations').values(row).execute()
    const detail = { expires_at: new Date(row.expires_at).toISOString() }
    return { result: row, events: [{ kind: 'upstream_invitation.created', ...about(row), detail }] }
  })
}

async function makeRoom(trx: Transacting, organisation_uuid: string, now: number): Promise<void> {
  const all = await rowsOf(trx, 'upstream_invitations', { organisation_uuid, state: ['open', 'handed_in'] })
    .where('expires_at', '>', now)
    .execute()
  if (all.length < mostOfOrganisation) return
  throw new Problem('conflict', `The organisation has ${all.length} set-up links. Withdraw one first.`)
}

/** Whether who made a set-up link could make it now. */
export async function makerStillMay(
  store: Reading,
  { made_by, organisation_uuid }: Pick<UpstreamInvitation, 'made_by' | 'organisation_uuid'>,
  now: number,
): Promise<boolean> {
  const maker = await authorityAgain(store, JSON.parse(made_by) as InvitedBy, now)
  if (maker === undefined || !maker.permissions.has(permission)) return false
  const { reach } = maker
  return reach.unit_uuid === undefined && (await isOrganisationWithin(store.db, organisation_uuid, reach))
}

/** What is left of one that ended: no secret. */
const ended = { hash: null, secret: null, private_key: null, token_hash: null }

/** Ends one whose entry is not needed any more, in the state that it is locked in. Throws `conflict` when it is over. */
export async function endUpstreamInvitation(
  trx: Transacting,
  by: By,
  uuid: string,
  [from, to]: readonly [from: readonly UpstreamInvitationState[], to: 'confirmed' | 'withdrawn'],
): Promise<[before: UpstreamInvitation, after: UpstreamInvitation]> {
  // An entry that is under way comes first.
  await trx.updateTable('upstream_invitations').set({ uuid }).where('uuid', '=', uuid).execute()
  const before = await findUpstreamInvitation(trx, uuid, by.authority)
  if (before === undefined) throw notFound('upstream invitation')
  const state = stateAt(before, by.now)
  if (!from.includes(state)) throw new Problem('conflict', `This set-up link is ${state.replace('_', ' ')}.`)
  const after = {
    ...before,
    ...ended,
    state: to,
    updated_at: by.now,
    confirmed_at: to === 'confirmed' ? by.now : null,
  }
  await trx.updateTable('upstream_invitations').set(after).where('uuid', '=', uuid).execute()
  return [before, after]
}

/** Withdraws one, with what was entered by it. Throws `conflict` when it is over. Concurrency: see `change`. */
export async function withdrawUpstreamInvitation(store: Store, by: By, uuid: string): Promise<void> {
  await change(store, by, async (trx) => {
    const [row] = await endUpstreamInvitation(trx, by, uuid, [['open', 'handed_in'], 'withdrawn'])
    return { result: undefined, events: [{ kind: 'upstream_invitation.withdrawn', ...about(row) }] }
  })
}
