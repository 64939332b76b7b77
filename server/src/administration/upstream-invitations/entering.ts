/** What the holder of a set-up link does: nobody who has an account, and nothing that counts. */
import type { RequestSource } from '../../audit/record.ts'
import { type AuditEvent, type AuditValues, record } from '../../audit/record.ts'
import { rowOf, rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { ProtocolError } from '../../protocol/errors.ts'
import { hashSecret, newSecret } from '../../protocol/identifier.ts'
import { type DraftEntry, entryOf } from '../../upstream/drafts.ts'
import type { Transacting } from '../by.ts'
import type { UpstreamInvitation } from './shown.ts'
import { about, makerStillMay } from './verbs.ts'

const day = 24 * 3_600_000
/** How long what was handed in can be confirmed. */
const confirmableFor = 14 * day

/** The one answer to all: without a good link nobody learns anything of it. */
export const upstreamInvitationEnded = (): ProtocolError =>
  new ProtocolError(
    'upstream_invitation_ended',
    'This link can not be used, not any more, or not in this browser. Whoever sent it can make another.',
  )

/** Somebody who comes with a link, or with the cookie of the browser that opened it. */
export interface Holding {
  text: string
  now: number
  from: RequestSource
}

/** The link that is open, whose maker could make it now, with the name of its organisation. Undefined: there is none such. */
export async function openUpstreamInvitation(
  store: Store,
  text: string,
  now: number,
): Promise<{ row: UpstreamInvitation; organisation: string } | undefined> {
  const row = await rowOf(store.db, 'upstream_invitations', { hash: hashSecret(text), state: 'open' })
  if (row === undefined || row.expires_at <= now || !(await makerStillMay(store, row, now))) return undefined
  const organisation = await rowOf(store.db, 'organisations', { uuid: row.organisation_uuid, active: 1 })
  return organisation && { row, organisation: organisation.name }
}

/**
 * Begins in this browser, and yields what its cookie keeps: the link itself opens nothing from then on. Throws
 * `upstream_invitation_ended`. Concurrency: one statement looks and takes, so of several browsers one begins.
 */
export async function beginUpstreamInvitation(store: Store, holding: Holding): Promise<string> {
  const secret = newSecret()
  const { text, now } = holding
  return await store.db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('upstream_invitations')
      .set({ hash: hashSecret(secret), opened_at: now })
      .where('hash', '=', hashSecret(text))
      .where('state', '=', 'open')
      .where('opened_at', 'is', null)
      .where('expires_at', '>', now)
      .returning(['uuid', 'organisation_uuid'])
      .executeTakeFirst()
    if (row === undefined) throw upstreamInvitationEnded()
    await tell(store, trx, holding, { kind: 'upstream_invitation.opened', ...about(row) })
    return secret
  })
}

/** What is written of an entry, and what the audit is told of it. */
export interface Entered {
  entry: DraftEntry
  secret?: string | null
  token_hash?: string
  /** What is tried is another one from then on. */
  isAnother?: boolean
  detail: AuditValues
}

/**
 * Writes what was entered. Throws `upstream_invitation_ended`. Concurrency: entries of one link come one after the
 * other, and none after it ended.
 */
export async function enter(
  store: Store,
  holding: Holding,
  work: (row: UpstreamInvitation, entry: DraftEntry) => Entered,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await locked(trx, holding)
    const { entry, isAnother, detail, ...columns } = work(row, entryOf(row))
    const set = {
      ...columns,
      ...(isAnother === true && { trial_id: null, tried_at: null }),
      entry: JSON.stringify(entry),
      updated_at: Math.max(holding.now, row.updated_at + 1),
    }
    await trx.updateTable('upstream_invitations').set(set).where('uuid', '=', row.uuid).execute()
    await tell(store, trx, holding, { kind: 'upstream_invitation.entered', ...about(row), detail })
  })
}

/** Notes a trial of what is entered now. Throws `upstream_invitation_ended`. Concurrency: as `enter`. */
export async function noteTrial(store: Store, holding: Holding, trial_id: string): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const { uuid } = await locked(trx, holding)
    await trx.updateTable('upstream_invitations').set({ trial_id }).where('uuid', '=', uuid).execute()
  })
}

/** Hands in what was entered, and ends the link. Throws `upstream_invitation_ended`. Concurrency: as `enter`. */
export async function handIn(store: Store, holding: Holding): Promise<UpstreamInvitation> {
  const { now } = holding
  return await store.db.transaction().execute(async (trx) => {
    const row = await locked(trx, holding)
    const entry = await withCodes(trx, row)
    const set = {
      entry: JSON.stringify(entry),
      hash: null,
      state: 'handed_in',
      handed_in_at: now,
      updated_at: Math.max(now, row.updated_at + 1),
      expires_at: now + confirmableFor,
    } as const
    await trx.updateTable('upstream_invitations').set(set).where('uuid', '=', row.uuid).execute()
    await tell(store, trx, holding, { kind: 'upstream_invitation.handed_in', ...about(row) })
    return { ...row, ...set }
  })
}

async function locked(trx: Transacting, { text, now }: Holding): Promise<UpstreamInvitation> {
  const hash = hashSecret(text)
  const row = await trx
    .updateTable('upstream_invitations')
    .set({ hash })
    .where('hash', '=', hash)
    .where('state', '=', 'open')
    .where('opened_at', 'is not', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) throw upstreamInvitationEnded()
  return row
}

/** The codes that are free in the organisation now. */
async function withCodes(
  trx: Transacting,
  { organisation_uuid, ...row }: UpstreamInvitation,
): Promise<DraftEntry> {
  const { directory, ...entry } = entryOf(row)
  const upstreams = await rowsOf(trx, 'upstreams', { organisation_uuid }).execute()
  const directories = await rowsOf(trx, 'directories', { organisation_uuid }).execute()
  return {
    ...entry,
    code: freeOf(entry.provider ?? 'oidc', upstreams),
    ...(directory !== undefined && { directory: { code: freeOf(directory.code, directories) } }),
  }
}

function freeOf(code: string, taken: readonly { code: string }[]): string {
  const isTaken = (text: string) => taken.some((one) => one.code === text)
  let free = code
  for (let count = 2; isTaken(free); count++) free = `${code}-${count}`
  return free
}

const tell = async (
  store: Store,
  trx: Transacting,
  { now: at, from }: Holding,
  event: Omit<AuditEvent, 'at'>,
): Promise<void> => await record(store, { at, actor: { kind: 'anonymous' }, ...from, ...event }, trx)
