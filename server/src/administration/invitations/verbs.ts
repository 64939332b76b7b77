import type { AuditValues } from '../../audit/record.ts'
import type { ColumnsOf } from '../../catalogue/thing.ts'
import type { invitation as catalogued, InvitationState } from '../../catalogue/invitation.ts'
import { type Reach, organisationListed } from '../../access/reach.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { emailKey } from '../../protocol/email-address.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import type { Service } from '../../service.ts'
import { findClient } from '../../store/clients.ts'
import { inTransaction } from '../../store/in-transaction.ts'
import { withdrawLink } from '../../store/links.ts'
import type { By, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { refuseManaged } from '../managed.ts'
import { givesIam, wantRecentSignIn } from '../recent-sign-in.ts'
import type { One } from '../resource.ts'
import { writeChange, writeNew } from '../../store/write/write.ts'
import { compared, inVersion } from '../version.ts'
import {
  about,
  asOf,
  checkInviting,
  findInvitation,
  heldBy,
  type Invitation,
  inviterOf,
  isWithin,
  lifetime,
  organisationOf,
  profilesOf,
  shown,
} from './inviting.ts'
import { sendLink } from './send.ts'

export interface InvitationFilter {
  state?: InvitationState | undefined
  organisation_uuid?: string | undefined
}

/** The next invitations within the reach by address, at most `limit`. */
export async function listInvitations(
  { db }: Store,
  reach: Reach,
  { state, organisation_uuid: asked }: InvitationFilter,
  { after, limit, now }: { after: After; limit: number; now: number },
): Promise<Page<Invitation>> {
  const organisation_uuid = organisationListed(reach, asked)
  if (organisation_uuid === null) return emptyPage
  const isExpired = state === 'expired'
  const isTimed = isExpired || state === 'pending'
  const matching = rowsOf(db, 'invitations', { organisation_uuid, state: isExpired ? 'pending' : state }).$if(
    isTimed,
    (query) => query.where('expires_at', isExpired ? '<=' : '>', now),
  )
  const isFound = reach.unit_uuid === undefined ? undefined : await isWithin(db, reach)
  const page = await pageBy(matching, ['email_key', 'uuid'], { after, limit, isFound })
  return { ...page, rows: page.rows.map((row) => asOf(row, now)) }
}

export type InvitationColumns = ColumnsOf<typeof catalogued>

/** An invitation that was sent, with the text of its link where no mail is sent. */
export interface SentLink {
  row: Invitation
  link: string | undefined
}

/**
 * Invites somebody. Whether the address has an account is not asked, so that nobody learns it. Throws when a profile
 * may not be given. Concurrency: see `changeOnce`.
 */
export async function createInvitation(
  store: Store,
  by: By,
  { uuid, columns, mail }: { uuid: string; columns: InvitationColumns; mail: Service['mail'] },
  repeatable: Repeatable<SentLink> | undefined,
): Promise<Created<SentLink>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    await checkInvitation(trx, by, columns)
    const whole = {
      ...columns,
      uuid,
      email_key: emailKey(columns.email),
      organisation_uuid: organisationOf(profilesOf(columns)),
      invited_by: JSON.stringify(inviterOf(by)),
      state: 'pending',
      created_at: by.now,
      updated_at: by.now,
      expires_at: by.now + lifetime,
    } as const
    const row = await writeNew(trx, 'invitations', whole, compared(by))
    const link = await sendLink(trx, row, { mail, now: by.now })
    return {
      result: { row, link },
      events: [{ kind: 'invitation.created', ...about(row), after: shown(row) as AuditValues }],
    }
  })
}

/** Throws when somebody may not invite so, whomever they invite. */
export async function checkInvitation(
  trx: Transacting,
  by: By,
  columns: Pick<InvitationColumns, 'profiles' | 'client_id'>,
): Promise<void> {
  await checkInviting(trx, by.authority, profilesOf(columns))
  await checkClient(trx, columns.client_id, by)
  if (givesIam(await heldBy(trx, columns))) wantRecentSignIn(by)
}

/** Throws when they can't be led to this client: of an organisation there are its own, and those for everybody. */
async function checkClient(trx: Transacting, client_id: string | null, { authority }: By): Promise<void> {
  if (client_id === null) return
  const client = await findClient(inTransaction(trx), client_id)
  const own = authority.reach.organisation_uuid
  const isKnown =
    client !== undefined &&
    (client.organisation_uuid ?? own) === (own ?? client.organisation_uuid ?? undefined)
  if (!isKnown) throw wrongField('client_id', 'There is no such client.')
  if (client.type === 'machine') throw wrongField('client_id', 'It acts for itself: nobody signs in to it.')
}

/**
 * Sends an invitation anew, whose earlier link no longer counts. Who does it is who invites from now on, and has to be
 * allowed to. Throws `conflict` when it was answered. Concurrency: see `change`.
 */
export async function resendInvitation(
  store: Store,
  by: By,
  { mail, ...one }: One & { mail: Service['mail'] },
): Promise<SentLink> {
  return await change(store, by, async (trx) => {
    const before = await toAnswer(trx, by, one)
    await checkInviting(trx, by.authority, profilesOf(before))
    const row = await writeChange(
      trx,
      'invitations',
      before,
      {
        invited_by: JSON.stringify(inviterOf(by)),
        updated_at: by.now,
        expires_at: by.now + lifetime,
      },
      compared(by),
    )
    if (givesIam(await heldBy(trx, row))) wantRecentSignIn(by)
    const link = await sendLink(trx, row, { mail, now: by.now })
    return { result: { row, link }, events: [{ kind: 'invitation.resent', ...about(row) }] }
  })
}

/** Withdraws an invitation: its link no longer counts. Throws `conflict` when it was answered. Concurrency: see `change`. */
export async function withdrawInvitation(store: Store, by: By, one: One): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await toAnswer(trx, by, one)
    by.authority.changes(await heldBy(trx, before))
    refuseManaged(by, { thing: 'invitation', managedBy: before.managed_by })
    const row = await writeChange(
      trx,
      'invitations',
      before,
      { state: 'withdrawn', updated_at: by.now },
      compared(by),
    )
    await withdrawLink(trx, 'invitation', row.uuid)
    return { result: undefined, events: [{ kind: 'invitation.withdrawn', ...about(row) }] }
  })
}

/** One within the reach that nobody has answered yet. */
async function toAnswer(trx: Transacting, { authority }: By, { id, versions }: One): Promise<Invitation> {
  const row = inVersion(await findInvitation(trx, id, authority), 'invitation', versions)
  if (row.state === 'pending') return row
  throw new Problem('conflict', `This invitation was ${row.state} already.`)
}
