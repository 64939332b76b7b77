import type * as z from 'zod'
import { emailKey } from '../protocol/email-address.ts'
import { callingsOf, isOwnWord, noOtherNames } from '../protocol/own-word.ts'
import { passwordTextFault } from '../protocol/password-text.ts'
import { type Policy, strictest } from '../protocol/policy.ts'
import { readTotpSecret } from '../protocol/totp-secret.ts'
import { unitKey } from './names.ts'
import type { DeclaredUser } from './declared.ts'
import type { Checked, Partly, Place } from './reading.ts'
import type { fileSchema, Said } from './schema.ts'

type CheckedUser = Checked<Said<'users'>>
type SaidProfile = Partly<NonNullable<Said<'users'>['profiles']>[number]>

export function userOfFile({ said, whole, place }: CheckedUser): DeclaredUser | undefined {
  const { email, uuid } = said
  if (Object.hasOwn(said, 'password') && Object.hasOwn(said, 'password_hash'))
    place.at('password_hash').problem('a user has either password or password_hash, not both')
  place.at('email').claim('user', email && emailKey(email), email)
  place.at('uuid').claim('user uuid', uuid?.toLowerCase())
  for (const [index, profile = {}] of (said.profiles ?? []).entries())
    checkProfile(profile, place.at('profiles', index), email)
  if (whole === undefined) return undefined
  const { password, password_hash: hash, totp_secret: secret = '', profiles = [], ...own } = whole
  const totp = readTotpSecret(secret)
  return {
    ...own,
    line: place.line,
    uuid: own.uuid,
    password: hash !== undefined ? { hash } : password === undefined ? undefined : { plain: password },
    totp: 'problem' in totp ? undefined : totp,
    profiles: profiles.map(({ role, organisation, unit, ...profile }, index) => {
      const { line } = place.at('profiles', index)
      return { ...profile, line, uuid: profile.uuid, role_code: role, organisation, unit }
    }),
  }
}

function checkProfile(profile: SaidProfile, place: Place, email: string | undefined): void {
  const { role, organisation, unit, uuid } = profile
  checkProfilePlace(profile, place)
  place.at('uuid').claim('profile uuid', uuid?.toLowerCase())
  // Profiles with a uuid are told apart by it.
  if (email === undefined || role === undefined || uuid !== undefined) return
  const at = `${organisation ?? 'no organisation'}${unit === undefined ? '' : `/${unit}`}`
  const key = JSON.stringify([emailKey(email), role, organisation, unit])
  place.claim('profile', key, `${role} at ${at} of ${email}`)
}

/** The place of a profile, of a user or of an invitation. */
export function checkProfilePlace(
  profile: Pick<SaidProfile, 'role' | 'organisation' | 'unit'>,
  place: Place,
): void {
  const { role, organisation, unit } = profile
  place.at('role').refer('role', role)
  place.at('organisation').refer('organisation', organisation)
  if (unit !== undefined && !Object.hasOwn(profile, 'organisation'))
    place.at('unit').problem('a profile with a unit needs the organisation that the unit belongs to')
  else place.at('unit').refer('unit', unitKey(organisation, unit))
}

/** What of a file may demand something of the passwords of people. */
type Demanding = Pick<Partly<z.output<typeof fileSchema>>, 'policy' | 'branding'> & {
  roles: readonly Checked<Said<'roles'>>[]
  organisations: readonly Checked<Said<'organisations'>>[]
}

/** Plain passwords, which are for development alone, are as long as the file's own policies demand, and no own word. */
export function checkPasswords(
  users: readonly CheckedUser[],
  { policy, branding, roles, organisations }: Demanding,
): void {
  const byRole = new Map(roles.map(({ said }) => [said.code, said]))
  const byOrganisation = new Map(organisations.map(({ said }) => [said.code, said]))
  for (const { said, place } of users) {
    const { password, password_hash: hash, profiles = [] } = said
    if (password === undefined || hash !== undefined) continue
    const places = profiles.flatMap((one) => byOrganisation.get(one?.organisation ?? '') ?? [])
    const held = profiles.flatMap((one) => byRole.get(one?.role ?? '') ?? [])
    const policies = [...held, ...places].map((one) => one.policy ?? {})
    const least = strictest([policy ?? {}, ...policies] as Policy[]).passwordLength
    if (passwordTextFault(password, least) === 'too_short')
      place.problem(`password is shorter than ${least} characters, which a policy demands`)
    const brands = [branding, ...places.map((one) => one.branding)].flatMap((one) => one?.name ?? [])
    if (isOwnWord(password, [...callingsOf({ ...noOtherNames, email: '', name: '', ...said }), ...brands]))
      place.problem('password is a name or an address of the user, a word of one, or the brand')
  }
}
