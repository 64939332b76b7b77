import { passwordHashProblem } from '../protocol/password-hash.ts'
import { passwordLength, type PasswordTextFault, passwordTextFault } from '../protocol/password-text.ts'
import { emailKey } from '../protocol/values.ts'
import { unitKey } from './access-section.ts'
import type { DeclaredProfile, DeclaredUser } from './declared.ts'
import { Fields, listOf, type Read, type Reading } from './fields.ts'
import { flag, instant } from './scalars.ts'
import { code, email, hiddenText, locale, text, timeZone, uuid, webAddress } from './values.ts'

export const user: Read<DeclaredUser> = (place, reading) => {
  const fields = Fields.of(place, 'a user', reading)
  if (fields === undefined) return undefined
  const address = fields.required('email', email, '')
  const declared: DeclaredUser = {
    line: fields.line,
    email: address,
    uuid: fields.optional('uuid', uuid),
    name: fields.required('name', text(200), ''),
    givenName: fields.optional('given_name', text(200)),
    familyName: fields.optional('family_name', text(200)),
    preferredUsername: fields.optional('preferred_username', text(200)),
    picture: fields.optional('picture', webAddress),
    locale: fields.optional('locale', locale),
    zoneinfo: fields.optional('zoneinfo', timeZone),
    password: passwordOf(fields, reading),
    emailVerified: fields.optional('email_verified', flag),
    active: fields.optional('active', flag) ?? true,
    profiles: fields.optional('profiles', listOf(profileOf(address))) ?? [],
  }
  reading.names.claim('user', emailKey(address), fields.lineOf('email'), address)
  reading.names.claim('user uuid', declared.uuid ?? '', fields.lineOf('uuid'))
  fields.done()
  return declared
}

function passwordOf(fields: Fields, reading: Reading): DeclaredUser['password'] {
  const plain = fields.optional('password', hiddenText(passwordProblem))
  const hash = fields.optional('password_hash', hiddenText(passwordHashProblem))
  if (fields.has('password') && fields.has('password_hash')) {
    reading.problems.add(
      fields.lineOf('password_hash'),
      'a user has either password or password_hash, not both',
    )
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

const faults: Record<PasswordTextFault, string> = {
  too_short: `is shorter than ${passwordLength.least} characters`,
  too_long: `is longer than ${passwordLength.most} characters`,
  untypable: 'holds a character that nobody can type',
}

function profileOf(address: string): Read<DeclaredProfile> {
  return (place, reading) => {
    const fields = Fields.of(place, 'a profile', reading)
    if (fields === undefined) return undefined
    const declared: DeclaredProfile = {
      line: fields.line,
      uuid: fields.optional('uuid', uuid),
      role: fields.required('role', code, ''),
      organisation: fields.optional('organisation', code),
      unit: fields.optional('unit', code),
      active: fields.optional('active', flag) ?? true,
      expiresAt: fields.optional('expires_at', instant),
    }
    fields.done()
    checkProfile(declared, fields, address, reading)
    return declared
  }
}

function checkProfile(profile: DeclaredProfile, fields: Fields, address: string, reading: Reading): void {
  const { role, organisation, unit } = profile
  const { names, problems } = reading
  names.refer('role', role, fields.lineOf('role'))
  names.refer('organisation', organisation ?? '', fields.lineOf('organisation'))
  if (unit !== undefined && !fields.has('organisation')) {
    problems.add(
      fields.lineOf('unit'),
      'a profile with a unit needs the organisation that the unit belongs to',
    )
  } else {
    names.refer('unit', unitKey(organisation ?? '', unit ?? ''), fields.lineOf('unit'))
  }
  names.claim('profile uuid', profile.uuid ?? '', fields.lineOf('uuid'))
  const what = `${role} at ${organisation ?? 'no organisation'}${unit === undefined ? '' : `/${unit}`}`
  // Those that each have a uuid are told apart by it.
  const isUnclear = address !== '' && role !== '' && profile.uuid === undefined
  const key = isUnclear ? JSON.stringify([emailKey(address), role, organisation, unit]) : ''
  names.claim('profile', key, fields.line, `${what} of ${address}`)
}
