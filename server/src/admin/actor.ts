import { standingOf } from '../identity/standing.ts'
import { iamPermissions, iamService, serviceOf } from '../protocol/permission.ts'
import { Problem } from '../protocol/problem.ts'
import type { Service } from '../service.ts'
import type { Actor as Named } from '../store/audit.ts'
import type { Client } from '../store/clients.ts'
import { permissionsOfRole } from '../store/roles.ts'
import type { Authority, HeldProfile, Reach } from '../store/admin/reach.ts'

/** The claims of an access token, as the guard gives them. */
export interface ActorClaims {
  jti: string
  iat: number
  sub: string
  client_id: string
  sid?: string
  profile_uuid?: string
}

/** Who asks, with what they may do now, whatever their token said when it was issued. */
export class Actor implements Authority {
  readonly clientId: string | undefined
  readonly sid: string | undefined
  /** As the audit has them. */
  readonly named: Named
  readonly permissions: ReadonlySet<string>
  readonly reach: Reach

  constructor(
    through: { client_id?: string; sid?: string | undefined },
    named: Named,
    holds: { permissions: Iterable<string>; reach: Reach },
  ) {
    this.clientId = through.client_id
    this.sid = through.sid
    this.named = named
    this.permissions = new Set(holds.permissions)
    this.reach = holds.reach
  }

  /**
   * Whoever holds every permission of iam over the whole installation defines services, permissions and roles, so
   * there is nothing that they could not give themselves.
   */
  get holdsEverything(): boolean {
    return (
      this.reach.organisationUuid === undefined && iamPermissions.every((one) => this.permissions.has(one))
    )
  }

  /** The permissions of which they may see who gives them; undefined: all. */
  get sees(): readonly string[] | undefined {
    return this.reach.organisationUuid === undefined ? undefined : [...this.permissions]
  }

  /** Which of these permissions they lack. */
  missing(permissions: readonly string[]): string[] {
    return this.holdsEverything ? [] : permissions.filter((one) => !this.permissions.has(one))
  }

  /** Throws `insufficient_scope` without this permission, which the token may have had when it was issued. */
  requires(permission: string): void {
    if (this.permissions.has(permission)) return
    throw new Problem('insufficient_scope', `You do not hold the permission ${permission}.`, {
      permissions: [permission],
    })
  }

  holds(permissions: readonly string[]): boolean {
    return this.missing(permissions).length === 0
  }

  holdsAnyOf(serviceCode: string): boolean {
    return this.holdsEverything || [...this.permissions].some((one) => serviceOf(one) === serviceCode)
  }

  grants(permissions: readonly string[]): void {
    const missing = this.missing(permissions)
    if (missing.length === 0) return
    throw new Problem('forbidden', `Nobody gives what they do not hold; you lack ${missing.join(', ')}.`, {
      permissions: missing,
    })
  }

  changes(held: readonly HeldProfile[]): void {
    // One refusal for both: what somebody holds elsewhere is told to nobody.
    if (held.every((one) => one.within && this.missing(one.permissions).length === 0)) return
    throw new Problem(
      'forbidden',
      'It is about more than you hold yourself, so you can not change, disable or remove it. Ask somebody who holds as much.',
    )
  }

  changesInstallation(): void {
    if (this.reach.organisationUuid === undefined) return
    throw new Problem(
      'forbidden',
      'It belongs to the whole installation, and you administer one organisation. Ask whoever administers the installation.',
    )
  }
}

/** Who asks. Throws `invalid_token` when the token does not count any more, whatever its expiry says. */
export async function actorOf(service: Service, claims: ActorClaims): Promise<Actor> {
  const standing = await standingOf(service, {
    jti: claims.jti,
    iat: claims.iat,
    sub: claims.sub,
    clientId: claims.client_id,
    sid: claims.sid,
    profileUuid: claims.profile_uuid,
  })
  if (standing.kind === 'ended' || !standing.client.services.includes(iamService)) {
    throw new Problem('invalid_token', 'The access token was revoked, or its session has ended.')
  }
  const { client } = standing
  if (standing.kind === 'machine') {
    const reach = { organisationUuid: client.organisationUuid, unitUuid: undefined }
    const named = { kind: 'client', id: client.clientId, organisationUuid: client.organisationUuid } as const
    return new Actor(claims, named, { permissions: client.permissions ?? [], reach })
  }
  const { profileUuid, roleCode, organisationUuid, unitUuid } = standing.profile
  const ofRole = await permissionsOfRole(service.store, roleCode)
  const permissions = allowedBy(client, ofRole)
  const named = { kind: 'user', id: standing.user.uuid, profileUuid, roleCode, organisationUuid } as const
  return new Actor(claims, named, { permissions, reach: { organisationUuid, unitUuid } })
}

/** Whoever runs the command on the database itself: everything, over the whole installation. */
export function operator(named: Named): Actor {
  const reach = { organisationUuid: undefined, unitUuid: undefined }
  return new Actor({}, named, { permissions: iamPermissions, reach })
}

/** Through a client nobody does more than its allow-list says, where it has one. */
function allowedBy({ permissions }: Client, held: readonly string[]): readonly string[] {
  return permissions === undefined ? held : held.filter((one) => permissions.includes(one))
}
