/**
 * Decides who may do what to whom. Every change of an administrator is asked of an `Authority`, which says what
 * somebody may do now, and where. It knows no HTTP and no table.
 */
import { everywhere, type PermissionGrant, type Reach } from '../access/reach.ts'
import type { Actor } from '../audit/record.ts'
import type { InvitedBy } from '../catalogue/invitation.ts'
import type { Flag } from '../database/flag.ts'
import { personAs } from '../identity/access.ts'
import { liveToken } from '../identity/live-token.ts'
import { iamPermissions, iamService, serviceOf } from '../protocol/permission.ts'
import { isAsStrict, policyOf } from '../protocol/policy.ts'
import { Problem } from '../protocol/problem.ts'
import { type Client, findClient } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { permissionsOfRole } from '../store/roles.ts'
import type { Profile } from '../store/users.ts'
import type { TokenClaims } from './token-claims.ts'

/** Each check throws a `Problem` when something is not allowed. */
export class Authority {
  readonly permissions: ReadonlySet<string>
  readonly reach: Reach
  /** The administrator, as the audit names them. */
  readonly actor: Actor
  /** Undefined: the command on the database itself, from which nothing there can be taken. */
  readonly claims: TokenClaims | undefined

  constructor(held: { permissions: Iterable<string>; reach: Reach }, actor: Actor, claims?: TokenClaims) {
    this.permissions = new Set(held.permissions)
    this.reach = held.reach
    this.actor = actor
    this.claims = claims
  }

  /** Every permission of iam over the whole installation: that is enough to give oneself all else. */
  get holdsEverything(): boolean {
    return (
      this.reach.organisation_uuid === undefined && iamPermissions.every((one) => this.permissions.has(one))
    )
  }

  /** 1: what they make or set is their own, and not the installation's. */
  get limitedReach(): Flag {
    return this.holdsEverything ? 0 : 1
  }

  /** The permissions of which they may see who gives them; undefined: all. */
  get sees(): readonly string[] | undefined {
    return this.reach.organisation_uuid === undefined ? undefined : [...this.permissions]
  }

  /** Needs this permission, which the token may have had when it was issued. */
  requires(permission: string): void {
    if (this.permissions.has(permission)) return
    throw new Problem('insufficient_scope', `You do not hold the permission ${permission}.`, {
      permissions: [permission],
    })
  }

  /** Whether these permissions are theirs to give. */
  holds(permissions: readonly string[]): boolean {
    return this.#missing(permissions).length === 0
  }

  holdsAnyOf(serviceCode: string): boolean {
    return this.holdsEverything || [...this.permissions].some((one) => serviceOf(one) === serviceCode)
  }

  /** Throws unless the administrator may give these permissions. */
  grants(permissions: readonly string[]): void {
    const missing = this.#missing(permissions)
    if (missing.length === 0) return
    throw new Problem('forbidden', `Nobody gives what they do not hold; you lack ${missing.join(', ')}.`, {
      permissions: missing,
    })
  }

  /** Throws unless the administrator may change, disable or remove what holds these. */
  changes(held: readonly PermissionGrant[]): void {
    // One refusal for both: nobody learns what somebody holds elsewhere.
    if (held.every((one) => one.within && this.holds(one.permissions))) return
    throw new Problem(
      'forbidden',
      'It is about more than you hold yourself, so you can not change, disable or remove it. Ask somebody who holds as much.',
    )
  }

  /**
   * Throws unless the administrator may let these hold at another place. Administrators of that place come to reach
   * them, so it needs what giving each of them there would (decisions 10).
   */
  moves(held: readonly PermissionGrant[]): void {
    if (held.length === 0) return
    this.grants(['iam.profiles.create'])
    this.changes(held)
  }

  /** Throws unless the administrator may change what belongs to the whole installation. */
  changesInstallation(): void {
    if (this.reach.organisation_uuid === undefined) return
    throw new Problem(
      'forbidden',
      'It belongs to the whole installation, and you administer one organisation. Ask whoever administers the installation.',
    )
  }

  /** Throws unless the administrator may give everything, everywhere. */
  changesEverything(): void {
    if (this.holdsEverything) return
    throw new Problem('forbidden', 'It takes somebody who administers everything.')
  }

  /** Throws unless the policy may be changed so: who does not administer everything can only tighten it. */
  changesPolicy(before: string | null, after: string | null): void {
    if (this.holdsEverything) return
    if (isAsStrict(policyOf(after) ?? {}, policyOf(before) ?? {})) return
    throw new Problem(
      'forbidden',
      'It would loosen the policy, which takes somebody who administers everything; you can tighten it.',
    )
  }

  /** Whether another one may do at least the same at the same place. */
  isWithin({ permissions, reach }: Authority): boolean {
    return (
      reach.organisation_uuid === this.reach.organisation_uuid &&
      reach.unit_uuid === this.reach.unit_uuid &&
      [...this.permissions].every((one) => permissions.has(one))
    )
  }

  #missing(permissions: readonly string[]): string[] {
    return this.holdsEverything ? [] : permissions.filter((one) => !this.permissions.has(one))
  }
}

/**
 * What the bearer of an access token may do now, whatever it said when it was issued; undefined: it no longer counts.
 * Asked when a request arrives, and again in the transaction of its change.
 */
export async function authorityOf(
  store: Reading,
  claims: TokenClaims,
  now: number,
): Promise<Authority | undefined> {
  const { jti, sub, client_id, sid, profile_uuid, act } = claims
  // No exchange is for this service (decisions 31).
  if (act !== undefined) return undefined
  const subject = { jti, sub, client_id, sid, profile_uuid, actors: undefined }
  const live = await liveToken({ store, now: () => now }, subject)
  if (live === undefined || !reachesAdministration(live.client)) return undefined
  const { client } = live
  if (live.kind === 'machine') return machineAuthority(client, claims)
  return await personAuthority(store, client, { user_uuid: sub, profile: live.profile }, claims)
}

function machineAuthority(client: Client, claims?: TokenClaims) {
  const { client_id: id, permissions } = client
  const organisation_uuid = client.organisation_uuid ?? undefined
  const held = { permissions: permissions ?? [], reach: { organisation_uuid, unit_uuid: undefined } }
  return new Authority(held, { kind: 'client', id, organisation_uuid }, claims)
}

async function personAuthority(
  store: Reading,
  client: Client,
  { user_uuid, profile }: { user_uuid: string; profile: Profile },
  claims?: TokenClaims,
): Promise<Authority> {
  const { held_uuid: profile_uuid, role_code } = profile
  const organisation_uuid = profile.organisation_uuid ?? undefined
  const permissions = allowedBy(client, await permissionsOfRole(store, role_code))
  const reach = { organisation_uuid, unit_uuid: profile.unit_uuid ?? undefined }
  const actor = { kind: 'user', id: user_uuid, profile_uuid, role_code, organisation_uuid } as const
  return new Authority({ permissions, reach }, actor, claims)
}

/**
 * What somebody may do now who did something before: under the same profile and through the same client. Undefined:
 * they, their profile or that client no longer count. No session is asked for.
 */
export async function authorityAgain(
  store: Reading,
  { kind, id = '', profile_uuid = '', client_id = '', at }: InvitedBy,
  now: number,
): Promise<Authority | undefined> {
  if (kind === 'command' || kind === 'service') return operator({ kind, id })
  const client = await findClient(store, kind === 'client' ? id : client_id)
  if (client === undefined || !client.usable || !reachesAdministration(client)) return undefined
  // Another one that was made since, of the same name.
  if (client.created_at > Date.parse(at)) return undefined
  if (kind === 'client') return client.type === 'machine' ? machineAuthority(client) : undefined
  const { user, profile } = await personAs({ store, now: () => now }, client, { user_uuid: id, profile_uuid })
  if (user?.active !== 1 || profile === undefined) return undefined
  return await personAuthority(store, client, { user_uuid: id, profile })
}

/** The command on the database itself may do everything. */
export const operator = (actor: Actor): Authority =>
  new Authority({ permissions: iamPermissions, reach: everywhere }, actor)

/** Whether a token for the administration would still be issued through it. */
const reachesAdministration = ({ services, scopes }: Client): boolean =>
  services.includes(iamService) && scopes.includes('service.api')

/** Limits permissions to the client's allow-list, where it has one. */
const allowedBy = ({ permissions }: Client, held: readonly string[]): readonly string[] =>
  permissions === null ? held : held.filter((one) => permissions.includes(one))
