import { passwordHashProblem } from '../protocol/password-hash.ts'
import { passwordLength, type PasswordTextFault, passwordTextFault } from '../protocol/password-text.ts'
import { emailKey } from '../protocol/email-address.ts'
import { callingsOf, isOwnWord, noOtherNames } from '../protocol/own-word.ts'
import { type Policy, strictest } from '../protocol/policy.ts'
import { byKey } from '../access/by-key.ts'
import { readTotpSecret } from '../protocol/totp-secret.ts'
import { unitKey, uuid } from './access-section.ts'
import type { Declared, DeclaredProfile, DeclaredUser } from './declared.ts'
import { type Fields, listOf, type Reading } from './fields.ts'
import { codeOf, mapping, readThing } from './things.ts'
import { hiddenText } from './values.ts'

export const user = mapping('a user', (fields, reading) => {
  const said = readThing('user', fields)
  const { email } = said
  const declared = {
    ...said,
    line: fields.line,
    uuid: fields.optional('uuid', uuid),
    password: passwordOf(fields, reading),
    totp: totpOf(fields),
    profiles: fields.optional('profiles', listOf(profileOf(email))) ?? [],
  }
  reading.names.claim('user', email && emailKey(email), fields.lineOf('email'), email)
  reading.names.claim('user uuid', declared.uuid, fields.lineOf('uuid'))
  return declared as DeclaredUser
})

function passwordOf(fields: Fields, reading: Reading): DeclaredUser['password'] {
  const plain = fields.optional('password', hiddenText(passwordProblem))
  const hash = fields.optional('password_hash', hiddenText(passwordHashProblem))
  if (fields.has('password') && fields.has('password_hash')) {
    const reason = 'a user has either password or password_hash, not both'
    reading.problems.add(fields.lineOf('password_hash'), reason)
  }
  return hash !== undefined ? { hash } : plain !== undefined ? { plain } : undefined
}

function passwordProblem(password: string, reading: Reading): string | undefined {
  if (reading.mode === 'production') {
    return 'is plain, and TESSERA_MODE is production; write password_hash, or leave both out'
  }
  const fault = passwordTextFault(password)
  return fault === undefined ? undefined : faults[fault]
}

function totpOf(fields: Fields): DeclaredUser['totp'] {
  const text = fields.optional('totp_secret', hiddenText(totpProblem))
  const read = text === undefined ? undefined : readTotpSecret(text)
  return read === undefined || 'problem' in read ? undefined : read
}

function totpProblem(text: string, { mode }: Reading): string | undefined {
  if (mode === 'production') return 'is plain, and TESSERA_MODE is production; leave it out'
  const read = readTotpSecret(text)
  return 'problem' in read ? read.problem : undefined
}

const faults: Record<PasswordTextFault, string> = {
  too_short: `is shorter than ${passwordLength.least} characters`,
  too_long: `is longer than ${passwordLength.most} characters`,
  untypable: 'holds a character that nobody can type',
}

/** Plain passwords, which are for development alone, are as long as the file's own policies demand, and no own word. */
export function checkPasswords(
  { policy, branding, roles, organisations, users }: Declared,
  { problems }: Reading,
): void {
  const [byRole, byOrganisation] = [byKey(roles, (one) => one.code), byKey(organisations, (one) => one.code)]
  for (const user of users) {
    const { line, password, profiles } = user
    if (password === undefined || 'hash' in password) continue
    const places = profiles.map(({ organisation = '' }) => byOrganisation.get(organisation))
    const policies = [...profiles.map((one) => byRole.get(one.role_code)), ...places].map(
      (one) => one?.policy ?? {},
    )
    const least = strictest([policy ?? {}, ...policies] as Policy[]).passwordLength
    if (passwordTextFault(password.plain, least) === 'too_short')
      problems.add(line, `password is shorter than ${least} characters, which a policy demands`)
    const brands = [branding, ...places.map((one) => one?.branding)].flatMap((one) => one?.name ?? [])
    if (isOwnWord(password.plain, [...callingsOf({ ...noOtherNames, ...user }), ...brands]))
      problems.add(line, 'password is a name or an address of the user, a word of one, or the brand')
  }
}

const profileOf = (email: string | undefined) =>
  mapping('a profile', (fields, reading) => {
    const declared = {
      line: fields.line,
      uuid: fields.optional('uuid', uuid),
      role_code: fields.required('role', codeOf),
      organisation: fields.optional('organisation', codeOf),
      unit: fields.optional('unit', codeOf),
      ...readThing('profile', fields),
    } as DeclaredProfile
    checkProfile(declared, fields, email, reading)
    return declared
  })

function checkProfile(
  { role_code: role, organisation, unit, uuid }: DeclaredProfile,
  fields: Fields,
  email: string | undefined,
  { names, problems }: Reading,
): void {
  names.refer('role', role, fields.lineOf('role'))
  names.refer('organisation', organisation, fields.lineOf('organisation'))
  if (unit !== undefined && !fields.has('organisation')) {
    const reason = 'a profile with a unit needs the organisation that the unit belongs to'
    problems.add(fields.lineOf('unit'), reason)
  } else {
    names.refer('unit', unitKey(organisation, unit), fields.lineOf('unit'))
  }
  names.claim('profile uuid', uuid, fields.lineOf('uuid'))
  // Profiles with a uuid are told apart by it.
  if (email === undefined || role === undefined || uuid !== undefined) return
  const at = `${organisation ?? 'no organisation'}${unit === undefined ? '' : `/${unit}`}`
  const key = JSON.stringify([emailKey(email), role, organisation, unit])
  names.claim('profile', key, fields.line, `${role} at ${at} of ${email}`)
}
