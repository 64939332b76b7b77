import { emailKey } from '../protocol/email-address.ts'
import type { DeclaredInvitation } from './declared.ts'
import type { Checked } from './reading.ts'
import type { Said } from './schema.ts'
import { checkProfilePlace } from './users-section.ts'

export function invitationOfFile({
  said,
  whole,
  place,
}: Checked<Said<'invitations'>>): DeclaredInvitation | undefined {
  const { email, profiles = [] } = said
  // The file makes somebody a user or invites them, not both.
  place.at('email').claim('user', email && emailKey(email), email)
  for (const [index, profile = {}] of profiles.entries())
    checkProfilePlace(profile, place.at('profiles', index))
  const there = profiles.filter((one) => one !== undefined)
  const keys = there.map((one) => JSON.stringify([one.role, one.organisation, one.unit]))
  if (new Set(keys).size < keys.length)
    place.at('profiles').problem('an invitation gives the same profile twice')
  const invited = whole?.profiles?.map(({ role, organisation, unit, expires_at }) => {
    return { role_code: role, organisation, unit, expires_at }
  })
  return whole && { ...whole, line: place.line, profiles: invited ?? [] }
}
