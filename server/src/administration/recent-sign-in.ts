/**
 * Step-up (RFC 9470): the changes that need a person who signed in lately, so that a browser left open gives nobody an
 * access that stays. A machine and the command on the database prove themselves each time.
 */
import { isDeepStrictEqual } from 'node:util'
import { everywhere, heldAt, type PermissionGrant, permissionsOf, profilesHeldBy } from '../access/reach.ts'
import { rowsOf } from '../database/rows.ts'
import { keyFields } from '../protocol/client-type.ts'
import { freshFor } from '../protocol/authentication.ts'
import type { ExchangeRule } from '../protocol/exchange.ts'
import { expandPermissions, iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { isAsStrict, type Policy } from '../protocol/policy.ts'
import { type EntryLists, entryLists } from '../store/entry.ts'
import { Problem } from '../protocol/problem.ts'
import type { ProxiedRoutes } from '../protocol/proxied-routes.ts'
import { weakenedBy } from '../protocol/weakenings.ts'
import { textList } from '../store/clients.ts'
import type { By, AuditedChange, Transacting } from './by.ts'
import { lists } from './search.ts'

/** Throws `insufficient_user_authentication` when the person signed in too long ago; a dry run is only told so. */
export function wantRecentSignIn(by: By): void {
  if (!isLongAgo(by)) return
  if (by.tried === undefined) {
    throw new Problem(
      'insufficient_user_authentication',
      'It needs a sign-in of the last ten minutes, and yours is older. Sign in again; nothing was changed.',
      { maxAge: freshFor / 1000 },
    )
  }
  by.tried.signInAgain = true
}

/** Wants a recent sign-in where the change, told in this transaction, needs one. */
export async function wantRecentSignInFor(
  trx: Transacting,
  by: By,
  told: readonly AuditedChange[],
): Promise<void> {
  if (isLongAgo(by) && (await isGrave(trx, told))) wantRecentSignIn(by)
}

/** Whether a person signed in too long ago for what is grave. */
export function isLongAgo({ authority: { actor, claims }, now }: By): boolean {
  if (claims === undefined || actor.kind !== 'user') return false
  return now - (claims.auth_time ?? 0) * 1000 > freshFor
}

async function isGrave(trx: Transacting, told: readonly AuditedChange[]): Promise<boolean> {
  if (takesAccess(told)) return true
  for (const one of told) if (letsIn(one) || givesIam(await heldAfter(trx, one))) return true
  return false
}

/** Whether people lose access: a person or a profile is removed, or with something else what a role gives. */
function takesAccess(told: readonly AuditedChange[]): boolean {
  // What was asked to be removed is told of last.
  const removed = told.at(-1)
  if (removed === undefined || removed.after !== undefined) return false
  return told.some(
    ({ thing }) => ['user', 'profile'].includes(thing) || (thing === 'role' && told.length > 1),
  )
}

/**
 * Whether it changes what somebody else is let in by: a password, a secret, keys, the address of an account, a weaker
 * demand, or where an application leads without asking; or where a webhook tells everything to from then on.
 */
function letsIn({ thing, before, after, secrets = [] }: AuditedChange): boolean {
  const [old, made] = [before as ShownThing | undefined, after as ShownThing | undefined]
  if (made === undefined) return false
  if (thing === 'webhook' && made.url !== old?.url) return true
  if (leadsElsewhere(old, made) || actsForMore(old, made)) return true
  if (old === undefined) return false
  const differs = (name: keyof ShownThing) => JSON.stringify(old[name]) !== JSON.stringify(made[name])
  const theirs = ['email', 'email_verified', ...proofs] as const
  const demandsLess = old.enrolment_required === true && made.enrolment_required === false
  return secrets.length > 0 || theirs.some(differs) || demandsLess || !isAsStrict(policy(made), policy(old))
}

/** What a client proves itself by. */
const proofs = [
  ...keyFields,
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'assertion_audience',
] as const

const policy = ({ policy: set }: ShownThing): Policy => set ?? {}

/** Whether a client that asks nobody for consent sends people where it did not before. */
function leadsElsewhere(
  old: ShownThing | undefined,
  { first_party, redirect_uris = [], allowed, ...opened }: ShownThing,
): boolean {
  if (first_party !== true) return false
  if (weakenedBy(old ?? {}, opened).length > 0) return true
  const known = old?.first_party === true ? (old.redirect_uris ?? []) : []
  return redirect_uris.some((one) => !known.includes(one)) || letsMoreIn(old?.allowed, allowed)
}

/** Whether it acts for the people who call a service, and did not as that one, with as much, or for as many. */
const actsForMore = (
  old: ShownThing | undefined,
  { acts_as = null, exchange, organisation_uuid, allowed }: ShownThing,
): boolean =>
  acts_as !== null &&
  (acts_as !== old?.acts_as ||
    organisation_uuid !== old.organisation_uuid ||
    letsMoreIn(old.allowed, allowed) ||
    (['services', 'permissions'] as const).some((name) =>
      exchange?.[name].some((one) => old.exchange?.[name].includes(one) !== true),
    ))

/** Whether somebody may enter who could not, as far as the lists alone tell. */
function letsMoreIn(old: EntryLists | null | undefined, made: EntryLists | null | undefined): boolean {
  if (!old) return false
  if (!made) return true
  return entryLists.some((name) => {
    const had = old[name]
    return had !== undefined && made[name]?.every((one) => had.includes(one)) !== true
  })
}

/** A thing as the API shows it, as far as this needs it. */
interface ShownThing {
  active?: boolean
  email?: string
  email_verified?: boolean
  enrolment_required?: boolean
  policy?: Policy | null
  first_party?: boolean
  redirect_uris?: string[]
  allowed?: EntryLists | null
  acts_as?: string | null
  exchange?: ExchangeRule | null
  organisation_uuid?: string | null
  routes?: ProxiedRoutes | null
  headers?: string[]
  remote_user?: string
  jwks?: unknown
  jwks_uri?: string | null
  federated?: unknown
  token_endpoint_auth_method?: string
  token_endpoint_auth_signing_alg?: string | null
  assertion_audience?: string
  url?: string
  role_code?: string
  parent_uuid?: string | null
  services?: string[]
  permissions?: string[] | null
}

export const givesIam = (held: readonly PermissionGrant[]): boolean =>
  held.some(({ permissions }) => permissions.some((one) => serviceOf(one) === iamService))

/** Whether nothing else is said of it: what changes together with that would count once somebody switches it on again. */
const isSwitchedOff = (old: ShownThing | undefined, made: ShownThing): boolean =>
  old !== undefined && made.active === false && isDeepStrictEqual(unswitched(old), unswitched(made))

const unswitched = (one: ShownThing) => ({ ...one, active: false, updated_at: '' })

/** What somebody may come to hold by it; of a client what it carries, which other addresses would lead elsewhere. */
async function heldAfter(
  trx: Transacting,
  { thing, id, before, after }: AuditedChange,
): Promise<PermissionGrant[]> {
  const [old, made] = [before as ShownThing | undefined, after as ShownThing | undefined]
  if (made === undefined || isSwitchedOff(old, made)) return []
  const held = (permissions: readonly string[]) => [
    { permissions: expandPermissions(permissions), within: true },
  ]
  if (thing === 'profile') return held(await permissionsOf(trx, made.role_code ?? ''))
  // What it loses somebody may give back, who does not look at what else was changed.
  if (thing === 'client') return held([...carried(old), ...carried(made)])
  const isEnabled = old?.active === false && made.active === true
  if (thing === 'role') {
    const had = isEnabled ? [] : expandPermissions(old?.permissions ?? [])
    return held(expandPermissions(made.permissions ?? []).filter((one) => !had.includes(one)))
  }
  // An administrator of the new unit above comes to administer this unit.
  if (thing === 'unit' && old !== undefined && (made.parent_uuid ?? old.parent_uuid) !== old.parent_uuid)
    return held([iamWildcard])
  if (!isEnabled) return []
  if (thing === 'user') return await profilesHeldBy(trx, id, everywhere)
  if (thing === 'organisation')
    return [...(await heldAt(trx, { organisation: id })), ...(await heldByClientsOf(trx, id))]
  return thing === 'unit' ? await heldAt(trx, { unit: id }) : []
}

const carried = (client: ShownThing | undefined): readonly string[] =>
  client?.services?.includes(iamService) === true ? (client.permissions ?? [iamWildcard]) : []

/** What the clients of an organisation carry of iam. */
async function heldByClientsOf(trx: Transacting, organisation_uuid: string): Promise<PermissionGrant[]> {
  const rows = await rowsOf(trx, 'clients', { organisation_uuid, active: 1 })
    .where(lists('services', iamService))
    .execute()
  const listed = rows.map(({ permissions }) => (permissions === null ? [iamWildcard] : textList(permissions)))
  return listed.map((permissions) => ({ permissions: expandPermissions(permissions), within: true }))
}
