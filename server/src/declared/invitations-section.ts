import { emailKey } from '../protocol/email-address.ts'
import { unitKey } from './access-section.ts'
import type { DeclaredInvitation, DeclaredInvitedProfile } from './declared.ts'
import { type Fields, listOf, type Reading } from './fields.ts'
import { codeOf, mapping, readThing } from './things.ts'
import { instant } from './values.ts'

export const invitation = mapping('an invitation', (fields, reading) => {
  const said = readThing('invitation', fields)
  const declared = {
    ...said,
    line: fields.line,
    profiles: fields.optional('profiles', listOf(profile)) ?? [],
  } as DeclaredInvitation
  const { email } = said
  // The file makes somebody a user or invites them, not both.
  reading.names.claim('user', email && emailKey(email), fields.lineOf('email'), email)
  checkTwice(declared, fields, reading)
  return declared
})

const profile = mapping('a profile', (fields, { names, problems }) => {
  const declared = {
    role_code: fields.required('role', codeOf),
    organisation: fields.optional('organisation', codeOf),
    unit: fields.optional('unit', codeOf),
    expires_at: fields.optional('expires_at', instant),
  }
  const { role_code, organisation, unit } = declared
  names.refer('role', role_code, fields.lineOf('role'))
  names.refer('organisation', organisation, fields.lineOf('organisation'))
  names.refer('unit', unitKey(organisation, unit), fields.lineOf('unit'))
  if (unit !== undefined && !fields.has('organisation'))
    problems.add(
      fields.lineOf('unit'),
      'a profile with a unit needs the organisation that the unit belongs to',
    )
  return declared as DeclaredInvitedProfile
})

function checkTwice({ profiles }: DeclaredInvitation, fields: Fields, { problems }: Reading): void {
  const keys = profiles.map(({ role_code, organisation, unit }) =>
    JSON.stringify([role_code, organisation, unit]),
  )
  if (new Set(keys).size < keys.length)
    problems.add(fields.lineOf('profiles'), 'an invitation gives the same profile twice')
}
