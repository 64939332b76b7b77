import { type Kysely, sql } from 'kysely'
import * as baseline from './migrations/0001-baseline.ts'
import * as generation from './migrations/0002-additive-generation.ts'
import * as auditMonths from './migrations/0003-additive-audit-months.ts'
import * as deviceCodes from './migrations/0004-additive-device-codes.ts'
import * as clientRequirements from './migrations/0005-additive-client-requirements.ts'
import * as accessTokenTyp from './migrations/0006-additive-access-token-typ.ts'
import * as clientKeys from './migrations/0007-additive-client-keys.ts'
import * as factors from './migrations/0008-additive-factors.ts'
import * as recordMonth from './migrations/0009-additive-audit-record-month.ts'
import * as recordMonthChecked from './migrations/0010-additive-audit-record-month-checked.ts'
import * as auditPartitions from './migrations/0011-additive-audit-partitions.ts'
import * as clientClaims from './migrations/0012-additive-client-claims.ts'
import * as mail from './migrations/0013-additive-mail.ts'
import * as invitations from './migrations/0014-additive-invitations.ts'
import * as account from './migrations/0015-additive-account.ts'
import * as installation from './migrations/0016-additive-installation.ts'
import * as branding from './migrations/0017-additive-branding.ts'
import * as addresses from './migrations/0018-additive-addresses.ts'
import * as deletion from './migrations/0019-additive-deletion.ts'
import * as pictures from './migrations/0020-additive-pictures.ts'
import * as filters from './migrations/0021-additive-filters.ts'
import * as auditRequests from './migrations/0022-additive-audit-requests.ts'
import * as clientLists from './migrations/0023-additive-client-lists.ts'
import * as auditCounts from './migrations/0024-additive-audit-counts.ts'
import * as auditVerifications from './migrations/0025-additive-audit-verifications.ts'
import * as ownership from './migrations/0026-additive-ownership.ts'
import * as refusedAddresses from './migrations/0027-additive-refused-addresses.ts'
import * as allowed from './migrations/0028-additive-allowed.ts'
import * as proxied from './migrations/0029-additive-proxied.ts'
import * as moveIn from './migrations/0030-additive-move-in.ts'
import * as foreignKeys from './migrations/0031-additive-foreign-keys.ts'
import * as weakHashes from './migrations/0032-additive-weak-hashes.ts'
import * as upstreams from './migrations/0033-additive-upstreams.ts'
import * as scimEmails from './migrations/0034-additive-scim-emails.ts'
import * as upstreamTrials from './migrations/0035-additive-upstream-trials.ts'
import * as scimRemoved from './migrations/0037-additive-scim-removed.ts'
import * as upstreamInvitations from './migrations/0036-additive-upstream-invitations.ts'
import * as directoryReach from './migrations/0038-additive-directory-reach.ts'
import * as lastSignIn from './migrations/0039-additive-last-sign-in.ts'
import * as lastSignInOrder from './migrations/0040-additive-last-sign-in-order.ts'
import * as imports from './migrations/0041-additive-imports.ts'
import * as serviceDescriptions from './migrations/0042-additive-service-descriptions.ts'
import * as assertions from './migrations/0044-additive-assertions.ts'
import * as assertionIssuers from './migrations/0045-additive-assertion-issuers.ts'
import * as pushedRequests from './migrations/0046-additive-pushed-requests.ts'
import * as clientDocuments from './migrations/0043-additive-client-documents.ts'
import * as tokenExchange from './migrations/0047-additive-token-exchange.ts'
import * as boundTokens from './migrations/0048-additive-bound-tokens.ts'
import { keptAuditKey } from './audit-key.ts'
import { makeEach, type Migration } from './migration-runner.ts'
import type { Store } from './store.ts'

/** The tables are not those that this version works on; its message says what to do. */
export class OtherVersion extends Error {}

/** The part of a store that migrating needs. */
type Migrated = Pick<Store, 'db' | 'keeper'>

/**
 * Every migration. Later ones have a name that says their kind, such as `0002-additive-factors`: an additive one leaves
 * a process of the version before it working, so that processes can be replaced one by one; a breaking one does not.
 * What is released is never changed. An index of a table that may be large is a migration of its own, of `indexes`.
 */
function migrationsFor(store: Migrated): Record<string, Migration> {
  return {
    '0001-baseline': { up: (db, dialect) => baseline.up(db, dialect, store.keeper) },
    '0002-additive-generation': generation,
    '0003-additive-audit-months': auditMonths,
    '0004-additive-device-codes': deviceCodes,
    '0005-additive-client-requirements': clientRequirements,
    '0006-additive-access-token-typ': accessTokenTyp,
    '0007-additive-client-keys': clientKeys,
    '0008-additive-factors': factors,
    '0009-additive-audit-record-month': recordMonth,
    '0010-additive-audit-record-month-checked': recordMonthChecked,
    '0011-additive-audit-partitions': auditPartitions,
    '0012-additive-client-claims': clientClaims,
    '0013-additive-mail': mail,
    '0014-additive-invitations': invitations,
    '0015-additive-account': account,
    '0016-additive-installation': installation,
    '0017-additive-branding': branding,
    '0018-additive-addresses': addresses,
    '0019-additive-deletion': deletion,
    '0020-additive-pictures': pictures,
    '0021-additive-filters': filters,
    '0022-additive-audit-requests': auditRequests,
    '0023-additive-client-lists': clientLists,
    '0024-additive-audit-counts': auditCounts,
    '0025-additive-audit-verifications': auditVerifications,
    '0026-additive-ownership': ownership,
    '0027-additive-refused-addresses': refusedAddresses,
    '0028-additive-allowed': allowed,
    '0029-additive-proxied': proxied,
    '0030-additive-move-in': moveIn,
    '0031-additive-foreign-keys': foreignKeys,
    '0032-additive-weak-hashes': weakHashes,
    '0033-additive-upstreams': upstreams,
    '0034-additive-scim-emails': scimEmails,
    '0035-additive-upstream-trials': upstreamTrials,
    '0037-additive-scim-removed': scimRemoved,
    '0036-additive-upstream-invitations': upstreamInvitations,
    '0038-additive-directory-reach': directoryReach,
    '0039-additive-last-sign-in': lastSignIn,
    '0040-additive-last-sign-in-order': lastSignInOrder,
    '0041-additive-imports': imports,
    '0042-additive-service-descriptions': serviceDescriptions,
    '0044-additive-assertions': assertions,
    '0045-additive-assertion-issuers': assertionIssuers,
    '0046-additive-pushed-requests': pushedRequests,
    '0043-additive-client-documents': clientDocuments,
    '0047-additive-token-exchange': tokenExchange,
    '0048-additive-bound-tokens': boundTokens,
  }
}

/**
 * Brings the tables up to date. Several processes may call it at once: one migrates, the others wait.
 * Yields the names of the migrations that this call made. Throws when a newer version has made a breaking one, and
 * `OtherSecret` for a process with another secret than the service on the tables. `tell` is told what takes its time.
 */
export async function migrate(store: Migrated, tell: (text: string) => void): Promise<string[]> {
  const { known, made, missing } = await migrationsOf(store)
  if (missing.length === 0) return []
  if (made.length > 0) await refuseOtherSecret(store)
  return await makeEach(store.db, known, executed, made.length > 0 ? tell : () => undefined)
}

/**
 * Every migration, those that were made, and those that were not in their order. Throws `OtherVersion` as `migrate`
 * does.
 */
export async function migrationsOf(store: Migrated) {
  const known = migrationsFor(store)
  const made = await executed(store.db)
  newerThan(known, made)
  const missing = Object.keys(known)
    .filter((name) => !made.includes(name))
    .sort()
  return { known, made, missing }
}

/** Makes one migration, as `migrate` makes all. */
export const makeOne = (db: Migrated['db'], name: string, migration: Migration): Promise<string[]> =>
  makeEach(db, { [name]: migration }, executed, () => undefined)

/** A process that could not serve on the tables changes none of them. */
async function refuseOtherSecret({ db, keeper }: Migrated): Promise<void> {
  const kept = await keptAuditKey(db)
  if (kept !== undefined) keeper.open(kept)
}

/**
 * Whether there are tables; nothing is changed. Throws when they are those of another version.
 */
export async function hasTables(store: Migrated): Promise<boolean> {
  const { made, missing } = await migrationsOf(store)
  if (made.length === 0) return false
  if (missing[0] === undefined) return true
  throw new OtherVersion(
    `its tables are those of an older version, ${missing[0]} is missing; run tessera migrate`,
  )
}

/** Throws when a newer version made a breaking migration, or the tables are older than the baseline. */
function newerThan(known: Record<string, Migration>, made: readonly string[]): void {
  const breaking = made.find((name) => !(name in known) && isBreaking(name))
  if (breaking !== undefined)
    throw new OtherVersion(
      `a newer version of Tessera has changed its tables (${breaking}); start that version`,
    )
  if (made.length > 0 && !made.includes('0001-baseline'))
    throw new OtherVersion(
      'its tables are of a version before 0.1.0; export with that version, and start anew with an empty database',
    )
}

/** Whether processes of the version before can't go on after it. */
export const isBreaking = (name: string) => !/^\d{4}-additive-/.test(name)

/** Whether every migration of this version has been made, and no breaking one of a newer version. */
export async function isMigrated(store: Migrated): Promise<boolean> {
  const made = await executed(store.db)
  const known = Object.keys(migrationsFor(store))
  return (
    known.every((name) => made.includes(name)) &&
    !made.some((name) => !known.includes(name) && isBreaking(name))
  )
}

async function executed(db: Pick<Kysely<never>, 'getExecutor'>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    return rows.map((row) => row.name)
  } catch (error) {
    if (isMissingTable(error)) return []
    throw error
  }
}

function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.message.includes('no such table') || ('code' in error && error.code === '42P01')
}
