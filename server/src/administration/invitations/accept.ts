import type { AuditEvent } from '../../audit/record.ts'
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { RequestSource } from '../../audit/record.ts'
import { newColumns } from '../../catalogue/columns.ts'
import type { InvitedBy, InvitedProfile } from '../../catalogue/invitation.ts'
import { profile } from '../../catalogue/profile.ts'
import { user } from '../../catalogue/user.ts'
import type { Steps } from '../../database/prepared.ts'
import { rowOf, rowsOf } from '../../database/rows.ts'
import type { ProfileRow, Schema } from '../../database/schema.ts'
import type { Store } from '../../database/store.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { Problem } from '../../protocol/problem.ts'
import type { Service } from '../../service.ts'
import { isTaken } from '../../store/addresses.ts'
import { type Client, findClient } from '../../store/clients.ts'
import { inTransaction } from '../../store/in-transaction.ts'
import { giveHandle } from '../../store/credentials.ts'
import { type Link, readLink, takeLink } from '../../store/links.ts'
import { isProof, prove, proved } from '../../store/ownership.ts'
import { type Authority, authorityAgain, operator } from '../authority.ts'
import type { By, Row, AuditedChange, Transacting } from '../by.ts'
import { change } from '../change.ts'
import { profiles as profileResource } from '../profiles/verbs.ts'
import { toldOf } from '../resource.ts'
import { insertUser, refuseTakenAddress, users } from '../users/verbs.ts'
import { writeChange, writeNew } from '../../store/write/write.ts'
import { compared } from '../version.ts'
import { type Offer, offersOf } from './offers.ts'
import { about, asOf, checkInviting, type Invitation, lifetime, profilesOf } from './inviting.ts'
import { type LinkData, sendLink } from './send.ts'

/** One answer to all: without a good link nobody learns anything of an invitation. */
export const invitationEnded = (): ProtocolError =>
  new ProtocolError(
    'invitation_ended',
    'This link can not be used, or not any more. Whoever invited you can send another.',
  )

/** An invitation whose link is known, for the page that shows it. Opening it changes nothing. */
export interface OpenedInvitation {
  invitation: Invitation
  /** Whether its address has an account, or is held for one. */
  isKnown: boolean
  offers: Offer[]
  /** The client that the invitation leads to, where it can be used now. */
  client: Client | undefined
  /** Whether it proves the account of its address: somebody limited made it, and the link was mailed since. */
  proves: boolean
}

/** Undefined: the link is none, or was used, replaced or withdrawn. An invitation that has expired is yielded. */
export async function openInvitation(
  store: Store,
  text: string,
  now: number,
): Promise<OpenedInvitation | undefined> {
  const { db } = store
  const link = await readLink(db, 'invitation', text, now)
  const row = link && (await rowOf(db, 'invitations', { uuid: link.subject }))
  if (link === undefined || row?.state !== 'pending') return undefined
  const client = row.client_id === null ? undefined : await findClient(store, row.client_id)
  return {
    invitation: asOf(row, now),
    isKnown: await isTaken(db, row.email, { now }),
    offers: await offersOf(db, row),
    client: client?.usable === true ? client : undefined,
    proves: await provesFor(db, link, row.email_key),
  }
}

/** Whether using the link proves the account with this address, which nobody has proved (people.md 13). */
async function provesFor(db: Kysely<Schema>, link: Link, email_key: string): Promise<boolean> {
  const owned = await rowOf(db, 'users', { email_key })
  return owned?.limited_reach === 1 && (link.data as LinkData).mailed && isProof(owned, link)
}

type Mail = NonNullable<Service['mail']>

/** A person who comes with a link. */
interface Coming {
  text: string
  now: number
  from: RequestSource
}

/** How somebody signs in from now on: by a password, or a passkey in its place. */
export interface OwnMeans {
  passwordHash: string | null
  passkey?: { handle?: string; keep: (user_uuid: string) => Steps<boolean> } | undefined
}

/** What somebody new says of themself. */
export interface NewAccount extends OwnMeans {
  name: string
}

/**
 * Makes the account that an invitation is for, with all of its profiles. The address counts as verified where a mail
 * alone told the link. Throws `conflict` when the address has an account by now, and
 * `invitation_ended` when the link does not count or the inviter may not give this any more; then it stays as it was.
 * Concurrency: see `change`; of any number that come with one link one goes on.
 */
export async function acceptAsNew(
  store: Store,
  { name, passwordHash, passkey }: NewAccount,
  coming: Coming,
): Promise<{ user_uuid: string; mailed: boolean }> {
  const by = comingBy(coming, { kind: 'anonymous' })
  return await change(store, by, async (trx) => {
    const { invitation, link, authority } = await take(trx, coming)
    await refuseTakenAddress(trx, invitation.email, coming)
    const uuid = randomUUID()
    const { email, locale } = invitation
    const { mailed } = link.data as LinkData
    const made = await insertUser(
      trx,
      { ...by, authority },
      {
        uuid,
        columns: {
          ...newColumns(user, { email, name, locale, email_verified: mailed }),
          password_hash: passwordHash,
        },
        ...(mailed && { owned: proved }),
        profiles: profilesOf(invitation).map((one) => rowOfProfile(one, uuid)),
      },
    )
    await keepPasskey(trx, uuid, passkey)
    const secrets = passwordHash === null ? [] : ['password']
    const told = [
      { ...(await toldOf(trx, users, { ...by, authority }, { after: made.user })), secrets },
      ...(await Promise.all(made.profiles.map((after) => toldOf(trx, profileResource, by, { after })))),
    ]
    await answer(trx, invitation, 'accepted', coming)
    return {
      result: { user_uuid: uuid, mailed },
      told,
      events: [{ kind: 'invitation.accepted', ...about(invitation), user_uuid: uuid }],
    }
  })
}

async function keepPasskey(trx: Transacting, uuid: string, passkey: OwnMeans['passkey']): Promise<void> {
  if (passkey === undefined) return
  const { handle } = passkey
  if (handle !== undefined) await giveHandle(trx, uuid, handle)
  if (!(await inTransaction(trx).read(passkey.keep(uuid))))
    throw new Problem('conflict', 'Somebody has this passkey.')
}

/** A person with an account, and the offers that they accept. Accepting none is to decline. */
export interface Known {
  user_uuid: string
  accepted: readonly number[] | 'declined'
  /** Set where the link proves the account: how they sign in from now on, and the factors that they have shown. */
  proof?: (OwnMeans & { shown: readonly string[] }) | undefined
}

/**
 * Gives somebody who has an account those of the profiles that they accept, by their places in the list. What they hold
 * already stays as it is. Where the link proves the account, all from before ends. Throws `invitation_ended` also when
 * the invitation is for another address, and `conflict` when a proof is wanted or not wanted any more. Concurrency: as
 * `acceptAsNew`.
 */
export async function acceptAsKnown(store: Store, known: Known, coming: Coming): Promise<void> {
  const { user_uuid, accepted, proof } = known
  const by = comingBy(coming, { kind: 'user', id: user_uuid })
  await change(store, by, async (trx) => {
    const { invitation, link } = await take(trx, coming)
    const person = await rowOf(trx, 'users', { uuid: user_uuid, email_key: invitation.email_key, active: 1 })
    if (person === undefined) throw invitationEnded()
    const offered = profilesOf(invitation)
    const chosen = accepted === 'declined' ? [] : offered.filter((_, index) => accepted.includes(index))
    const declines = accepted === 'declined' || (chosen.length === 0 && offered.length > 0)
    const proves = !declines && (await provesFor(trx, link, invitation.email_key))
    if (proves !== (proof !== undefined && !declines))
      throw new Problem('conflict', 'Whose the account is was settled otherwise meanwhile.')
    const proven = proof === undefined || !proves ? undefined : await proveBy(trx, by, person, proof)
    const told = proven === undefined ? [] : [proven.told]
    for (const one of chosen) {
      const row = rowOfProfile(one, user_uuid)
      if (await holds(trx, row)) continue
      const after = await writeNew(trx, 'profiles', row, compared(by))
      told.push(await toldOf(trx, profileResource, by, { after }))
    }
    await answer(trx, invitation, declines ? 'withdrawn' : 'accepted', coming)
    const more = {
      ...about(invitation),
      user_uuid,
      detail: { profiles: chosen.length, offered: offered.length },
    }
    return {
      result: undefined,
      told,
      events: [
        declines ? { kind: 'invitation.withdrawn', ...more } : { kind: 'invitation.accepted', ...more },
        ...(proven?.waited ?? []),
      ],
    }
  })
}

async function proveBy(
  trx: Transacting,
  by: By,
  before: Row<'users'>,
  { passwordHash: password_hash, passkey, shown }: NonNullable<Known['proof']>,
): Promise<{ told: AuditedChange; waited: AuditEvent[] }> {
  const { uuid } = before
  const waited = await prove(trx, uuid, { shown, now: by.now, set: { password_hash, email_verified: 1 } })
  await keepPasskey(trx, uuid, passkey)
  const after = await rowOf(trx, 'users', { uuid })
  const told = await toldOf(trx, users, by, { before, ...(after !== undefined && { after }) })
  // The person sets it, whatever file manages them.
  const secrets = password_hash === null ? [] : ['password']
  return { told: { ...told, managedBy: null, secrets }, waited }
}

/**
 * Mails another link to the address of an invitation that has expired, whoever asks for it; what the inviter may give
 * is asked when it is accepted. Throws `invitation_ended`. Concurrency: see `change`; of several at once one does it.
 */
export async function askAgain(store: Store, mail: Mail, coming: Coming): Promise<void> {
  const { text, now } = coming
  await change(store, comingBy(coming, { kind: 'anonymous' }), async (trx) => {
    const link = await readLink(trx, 'invitation', text, now)
    const before = link && (await rowOf(trx, 'invitations', { uuid: link.subject }))
    if (link === undefined || before === undefined || asOf(before, now).state !== 'expired')
      throw invitationEnded()
    const expires_at = Math.min(now + lifetime, link.expiresAt)
    const row = await writeChange(
      trx,
      'invitations',
      before,
      { expires_at, updated_at: now },
      compared({ now }),
    )
    await sendLink(trx, row, { mail, now, until: link.expiresAt })
    return { result: undefined, events: [{ kind: 'invitation.resent', ...about(row) }] }
  })
}

/** Takes the link; yields what it is for, and what the inviter may do now. Throws `invitation_ended`. */
async function take(
  trx: Transacting,
  { text, now }: Coming,
): Promise<{ invitation: Invitation; link: Link; authority: Authority }> {
  const link = await takeLink(trx, 'invitation', text, now)
  const row = link && (await rowOf(trx, 'invitations', { uuid: link.subject }))
  if (link === undefined || row === undefined || asOf(row, now).state !== 'pending') throw invitationEnded()
  return { invitation: row, link, authority: await stillInviting(trx, row, now) }
}

/** What who invited may do now, where that still lets them give all of it. Throws `invitation_ended`. */
async function stillInviting(trx: Kysely<Schema>, row: Invitation, now: number): Promise<Authority> {
  const inviter = JSON.parse(row.invited_by) as InvitedBy
  const authority = await authorityAgain(inTransaction(trx), inviter, now)
  if (authority === undefined) throw invitationEnded()
  try {
    await checkInviting(trx, authority, profilesOf(row))
  } catch (error) {
    if (error instanceof ProtocolError && error.status < 500) throw invitationEnded()
    throw error
  }
  return authority
}

const rowOfProfile = (one: InvitedProfile, user_uuid: string): ProfileRow => ({
  uuid: randomUUID(),
  ...newColumns(profile, { ...one, user_uuid }),
})

/** Whether somebody holds the same role at the same place. */
async function holds(trx: Transacting, { user_uuid, role_code, organisation_uuid, unit_uuid }: ProfileRow) {
  const rows = await rowsOf(trx, 'profiles', { user_uuid, role_code }).execute()
  return rows.some((row) => row.organisation_uuid === organisation_uuid && row.unit_uuid === unit_uuid)
}

async function answer(
  trx: Transacting,
  row: Invitation,
  state: 'accepted' | 'withdrawn',
  { now }: Coming,
): Promise<void> {
  await writeChange(trx, 'invitations', row, { state, updated_at: now }, compared({ now }))
}

/** A person who comes with a link acts by it, whatever they may do otherwise. */
function comingBy({ now, from }: Coming, actor: { kind: 'anonymous' | 'user'; id?: string }): By {
  return { ...from, actor, client_id: undefined, sid: undefined, now, authority: operator(actor) }
}
