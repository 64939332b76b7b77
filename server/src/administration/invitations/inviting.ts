/** What an invitation is, who reaches it, and who may make one: asked when it is made, and again when it is accepted. */
import {
  type PermissionGrant,
  permissionsOf,
  type Place,
  type Reach,
  withinReach,
} from '../../access/reach.ts'
import { shownOf } from '../../catalogue/columns.ts'
import { invitation as catalogued, type InvitedBy, type InvitedProfile } from '../../catalogue/invitation.ts'
import { rowOf } from '../../database/rows.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Authority } from '../authority.ts'
import type { By, Row, Transacting } from '../by.ts'
import { checkNewProfile } from '../placement.ts'

export type Invitation = Row<'invitations'>

export const day = 24 * 3_600_000
/** How long it can be accepted. */
export const lifetimeDays = 7
export const lifetime = lifetimeDays * day

/** An invitation at this moment: a pending one expires at its end. */
export const asOf = (row: Invitation, now: number): Invitation =>
  row.state === 'pending' && row.expires_at <= now ? { ...row, state: 'expired' } : row

export const shown = (row: Invitation): object => shownOf(catalogued, row)

export const profilesOf = ({ profiles }: Pick<Invitation, 'profiles'>): InvitedProfile[] =>
  JSON.parse(profiles) as InvitedProfile[]

export const placeOf = ({ organisation_uuid, organisation_unit_uuid }: InvitedProfile): Place => ({
  organisation_uuid: organisation_uuid ?? null,
  unit_uuid: organisation_unit_uuid ?? null,
})

/** The organisation that all of the profiles are in; null: there is none such. */
export function organisationOf(profiles: readonly InvitedProfile[]): string | null {
  const [first, ...others] = new Set(profiles.map((one) => placeOf(one).organisation_uuid))
  return others.length === 0 ? (first ?? null) : null
}

/** Tells whether invitations are within a reach: with all that they give. */
export async function isWithin(db: Transacting, reach: Reach): Promise<(row: Invitation) => boolean> {
  if (reach.organisation_uuid === undefined) return () => true
  const isPlace = await withinReach(db, reach)
  return (row) => {
    const places = profilesOf(row).map(placeOf)
    return places.length > 0 && places.every(isPlace)
  }
}

export async function findInvitation(
  db: Transacting,
  uuid: string,
  { reach }: Authority,
): Promise<Invitation | undefined> {
  const row = await rowOf(db, 'invitations', { uuid })
  return row !== undefined && (await isWithin(db, reach))(row) ? row : undefined
}

/** What it would give, by each of its roles. */
export async function heldBy(
  trx: Transacting,
  row: Pick<Invitation, 'profiles'>,
): Promise<PermissionGrant[]> {
  const held: PermissionGrant[] = []
  for (const { role_code } of profilesOf(row))
    held.push({ permissions: await permissionsOf(trx, role_code), within: true })
  return held
}

/** Throws when somebody may not invite with these profiles now. */
export async function checkInviting(
  trx: Transacting,
  authority: Authority,
  profiles: readonly InvitedProfile[],
): Promise<void> {
  authority.requires('iam.invitations.create')
  if (profiles.length > 0) authority.requires('iam.profiles.create')
  else if (authority.reach.organisation_uuid !== undefined)
    throw wrongField('profiles', 'An administrator of an organisation invites with a profile in it.')
  for (const [index, one] of profiles.entries())
    await checkNewProfile(trx, { ...placeOf(one), role_code: one.role_code }, authority, `profiles.${index}.`)
}

/** The inviter, whose rights are asked again when the invitation is accepted. */
export function inviterOf({ actor, client_id, now }: By): InvitedBy {
  const { kind = 'service', id, profile_uuid } = actor ?? {}
  return {
    kind,
    ...(id !== undefined && { id }),
    ...(profile_uuid !== undefined && { profile_uuid }),
    ...(kind === 'user' && client_id !== undefined && { client_id }),
    at: new Date(now).toISOString(),
  }
}

/** What the audit is told of it beside the kind. */
export const about = (row: Invitation) => ({
  target: { kind: 'invitation', id: row.uuid },
  organisation_uuid: row.organisation_uuid ?? undefined,
})
