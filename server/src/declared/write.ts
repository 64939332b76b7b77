import type { Transaction } from 'kysely'
import { sendLink } from '../administration/invitations/send.ts'
import { remapAll } from '../administration/mapped.ts'
import { type EncryptUpstream, sealUpstreams } from '../administration/upstreams/secrets.ts'
import { resumeWebhooksOf } from '../administration/webhooks/verbs.ts'
import { append } from '../audit/append.ts'
import { contentOf, type Origin } from '../audit/record.ts'
import type { AuditContent } from '../database/schema-audit.ts'
import { rowOf } from '../database/rows.ts'
import type { Service } from '../service.ts'
import { chunksOf } from '../database/chunks.ts'
import { type EncryptTotp, giveTotp } from '../store/given-totp.ts'
import { withdrawLinks } from '../store/links.ts'
import { type Looked, settleWaiting } from '../access/waiting.ts'
import { emailKey } from '../protocol/email-address.ts'
import type { Comparison } from './comparison.ts'
import { markManaged } from '../store/write/managed.ts'
import type { Writes } from '../store/write/rows.ts'
import { write } from '../store/write/write.ts'
import { changesAnything } from './rows.ts'
import { type NamedByFile, type DeclaredView, viewWithin } from './state.ts'
import { atOneMoment } from '../database/locks.ts'
import type { Store } from '../database/store.ts'
import { lockAdministration, seenAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'

/** What is to be done, decided from a view. */
export interface DeclaredDecision {
  comparison: Comparison
  /** What the audit is told: the file, its changes in numbers, and a record for each, made before the lock is taken. */
  file: string
  detail: Readonly<Record<string, number>>
  records: readonly AuditContent[]
}

/** When, for the audit, and how secrets of authenticator apps are kept, and by what invitations are sent. */
export interface DeclaredGiving {
  now: number
  by: Origin
  encryptTotp: EncryptTotp
  encryptUpstream: EncryptUpstream
  mail: Service['mail']
  /** Runs before anything is written, with the counts of the changes; what it throws undoes all. */
  first: ((trx: Transaction<Schema>, counts: Readonly<Record<string, number>>) => Promise<void>) | undefined
}

/** Attempts that decide while others may change things; then they wait. */
const freeAttempts = 3

/**
 * Looks at the state, asks what is to be done, and does it: it writes the rows, ends what became unusable, and writes the
 * audit records. `decide` may throw: then nothing changed. Throws `last_administrator` when nobody would be
 * left who administers the whole installation.
 *
 * Concurrency: it looks and decides while others go on, since that takes seconds where a file has many people. The
 * transaction that writes runs alone, beside no other file and no change by an administrator. Where one of those came in
 * between, it looks again; after some attempts it decides while the others wait.
 */
export async function changeDeclaredState<D extends DeclaredDecision>(
  store: Store,
  named: NamedByFile,
  giving: DeclaredGiving,
  decide: (view: DeclaredView) => Promise<D>,
): Promise<D> {
  const look = async (trx: Transaction<Schema>) => ({
    seen: await seenAdministration(trx),
    decision: await decide(await viewWithin(trx, named)),
  })
  for (let attempt = 1; attempt <= freeAttempts; attempt++) {
    const { decision, seen } = await atOneMoment(store).execute(look)
    if (!doesAnything(decision.comparison)) return decision
    const done = await store.db.transaction().execute(async (trx) => {
      if (!(await lockAdministration(trx, seen))) return false
      await carryOut(store, trx, decision, giving)
      return true
    })
    if (done) return decision
  }
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const { decision } = await look(trx)
    if (doesAnything(decision.comparison)) await carryOut(store, trx, decision, giving)
    return decision
  })
}

const doesAnything = ({ writes, marks }: Comparison) => changesAnything(writes) || marks.length > 0

async function carryOut(
  store: Store,
  trx: Transaction<Schema>,
  { comparison, file, detail, records }: DeclaredDecision,
  giving: DeclaredGiving,
): Promise<void> {
  const { now, by } = giving
  const { writes, marks, totps, disowned: adopted } = comparison
  await giving.first?.(trx, detail)
  await sealUpstreams(writes, comparison.upstreamSecrets, giving.encryptUpstream)
  const ended = await write(trx, writes, { now, versions: 'overwritten', by: 'others', ends: 'all', adopted })
  for (const uuids of chunksOf(adopted.directories))
    await trx.deleteFrom('directory_tokens').where('directory_uuid', 'in', uuids).execute()
  const given = await giveTotp(trx, totps, giving)
  const mapped = await remapAll(trx, writes, now)
  const enabled = writes.organisations.update.filter(({ set }) => set.active === 1)
  await resumeWebhooksOf(
    store,
    trx,
    enabled.map(({ before }) => before.uuid),
  )
  await markManaged(trx, marks)
  await invite(trx, writes, giving)
  await withdrawInvitations(trx, writes)
  await endHolds(trx, comparison)
  const waited = await settleWaiting(trx, lookedAt(comparison), now)
  const counts = { sessions_ended: ended.sessions.length, token_families_revoked: ended.families }
  const target = { kind: 'declared_file', id: file }
  const event = { kind: 'declared.applied', target, detail: { ...detail, ...counts } } as const
  await append(store, trx, [
    contentOf({ at: now, ...by, ...event }),
    ...records,
    ...[...given, ...mapped, ...waited].map(contentOf),
  ])
}

/** Sends the invitations that are new or say something else. Without a mail server `tessera invitation resend` does. */
async function invite(
  trx: Transaction<Schema>,
  { invitations }: Writes,
  { now, mail }: Pick<DeclaredGiving, 'now' | 'mail'>,
): Promise<void> {
  if (mail === undefined) return
  const uuids = [...invitations.insert, ...invitations.update.map(({ before }) => before)].map(
    (row) => row.uuid,
  )
  for (const uuid of uuids) {
    const row = await rowOf(trx, 'invitations', { uuid, state: 'pending' })
    if (row !== undefined) await sendLink(trx, row, { mail, now })
  }
}

/** The links of invitations that the file names no more: a mail that waits goes out as long as its link is there. */
async function withdrawInvitations(trx: Transaction<Schema>, { invitations }: Writes): Promise<void> {
  const withdrawn = invitations.update.filter(({ set }) => set.state === 'withdrawn')
  await withdrawLinks(
    trx,
    'invitation',
    withdrawn.map(({ before }) => before.uuid),
  )
}

/** Undo links of these give nothing back any more. */
async function endHolds(trx: Transaction<Schema>, { holds }: Comparison): Promise<void> {
  for (const some of chunksOf(holds.map(({ email }) => emailKey(email))))
    await trx.deleteFrom('held_addresses').where('email_key', 'in', some).execute()
}

/** The changes by which a profile of an unproved account may come beyond what its makers could give, or within it. */
function lookedAt({ writes, disowned }: Comparison): Looked {
  const { profiles, role_permissions: held, units } = writes
  const rehung = units.update.filter(({ set }) => set.parent_uuid !== undefined)
  return {
    users: [
      ...disowned.users,
      ...profiles.insert.map((row) => row.user_uuid),
      ...profiles.update.map(({ before }) => before.user_uuid),
    ],
    roles: [...held.insert, ...held.remove].map((row) => row.role_code),
    organisations: rehung.map(({ before }) => before.organisation_uuid),
  }
}
