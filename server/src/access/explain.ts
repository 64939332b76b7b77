import type { HeldByRow } from './holders.ts'
import { profileChecks, type ProfileReason } from '../store/usable.ts'
import type { UserRow } from '../database/schema.ts'

/** One link of the chain: whether it holds, what was found, and what would make it hold. */
export interface ChainLink {
  check: string
  holds: boolean
  detail: string
  cure: string
}

/** What somebody may do, by the facts alone: the chain holds when every link of it does. */
export const holds = (chain: readonly ChainLink[]): boolean => chain.every((link) => link.holds)

interface Said {
  yes: string
  no: string
  cure: string
}

export const link = (check: string, isSo: boolean, { yes, no, cure }: Said): ChainLink => ({
  check,
  holds: isSo,
  detail: isSo ? yes : no,
  cure,
})

export function permissionLink(permission: string, exists: boolean): ChainLink {
  return link('permission_exists', exists, {
    yes: `The permission ${permission} exists.`,
    no: `There is no permission ${permission}.`,
    cure: `Add the permission ${permission} to its service.`,
  })
}

/** The chain from a person through a profile to a permission. `has`: the role of the profile gives it. */
export const personLinks = (
  user: ExplainedPerson,
  profile: HeldByRow,
  { permission, has, now }: { permission: string; has: boolean; now: number },
): ChainLink[] => [
  userLink(user),
  ...profileLinks(profile, now),
  roleLink(profile.role_code, permission, has),
]

type ExplainedPerson = Pick<UserRow, 'name' | 'active'>

export function userLink({ name, active }: ExplainedPerson): ChainLink {
  return link('user_active', active === 1, {
    yes: `${name} is active.`,
    no: `${name} is disabled.`,
    cure: 'Enable the user.',
  })
}

/** Whether somebody can act under a profile, condition by condition. */
export function profileLinks(row: HeldByRow, now: number): ChainLink[] {
  const said = profileWords(row)
  return profileChecks({ ...row, profile_active: row.active }, now).flatMap(({ check, holds }) => {
    const words = said[check]
    return words === undefined ? [] : [link(check, holds, words)]
  })
}

/** Nothing of what the profile does not have, nor of the person, of whom is told once. */
function profileWords(row: HeldByRow): { [R in ProfileReason]?: Said } {
  const { expires_at: expiresAt, role_code: role, organisation_name: organisation, unit_name: unit } = row
  return {
    profile_active: activeWords('profile'),
    profile_not_expired: {
      yes:
        expiresAt === null ? 'The profile does not expire.' : `The profile expires at ${isoTime(expiresAt)}.`,
      no: `The profile expired at ${isoTime(expiresAt ?? 0)}.`,
      cure: 'Give the profile a later expires_at, or none.',
    },
    role_active: activeWords(`role ${role}`),
    ...(organisation !== null && { organisation_active: activeWords(`organisation ${organisation}`) }),
    ...(unit !== null && { unit_active: activeWords(`unit ${unit}`) }),
    ...(row.beyond !== null && { account_proved: proofWords(row) }),
    ...(row.suspended === 1 && { person_not_suspended: awayWords }),
    ...(row.counts_until !== null && { proof_recent: agedWords(row.counts_until) }),
  }
}

/** The link about an unproved account whose profile is more than its makers could give. */
function proofWords({ maker, unproved_since: since }: HeldByRow): Said {
  const when = since === null ? '' : ` at ${isoTime(since)}`
  return {
    yes: 'It is more than who made the account is known to have been able to give. It was there before that was asked, and counts.',
    no: `It waits: ${maker ?? 'somebody'}, who could not give as much, made the account or set how one signs in to it${when}, and its person has not proved since that it is theirs.`,
    cure: 'Mail the person a recovery link (tessera user recover), or let them use “Forgotten password”: using the link proves the account.',
  }
}

const awayWords: Said = {
  yes: 'No directory says that the person is away.',
  no: 'A directory of the organisation, or its upstream, says that the person is disabled or gone.',
  cure: 'Enable the person there; nobody else lifts it.',
}

/** The link about a profile that an upstream gives, which has to be seen again from time to time. */
const agedWords = (until: number): Said => ({
  yes: `The organisation’s upstream gives the profile, and it counts until ${isoTime(until)} without another sign-in by it.`,
  no: `The organisation’s upstream gives the profile, and nobody has signed in to it by that for too long: it counted until ${isoTime(until)}.`,
  cure: 'Let the person sign in through the organisation’s provider.',
})

export const activeWords = (thing: string): Said => ({
  yes: `The ${thing} is active.`,
  no: `The ${thing} is disabled.`,
  cure: `Enable the ${thing}.`,
})

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

function roleLink(role_code: string, permission: string, has: boolean): ChainLink {
  return link('role_has_permission', has, {
    yes: `The role ${role_code} includes ${permission}.`,
    no: `The role ${role_code} does not include ${permission}.`,
    cure: `Add ${permission} to the role ${role_code}, or give them a profile with a role that includes it.`,
  })
}
