import { redirectUriProblem } from '../protocol/redirect-uri.ts'
import { isUuid, localeProblem, timeZoneProblem } from '../protocol/values.ts'
import { decide, lost, type Remark, type ToldPerson } from './told.ts'

/** Somebody, as far as their system tells of them. What is undefined, it does not tell. */
export interface ReadPerson {
  /** What people call the system. */
  system: string
  /** The subject of their tokens. */
  subject: string | undefined
  email: string | undefined
  emailVerified?: boolean | undefined
  name?: string | undefined
  givenName?: string | undefined
  familyName?: string | undefined
  username?: string | undefined
  picture?: string | undefined
  locale?: string | undefined
  zoneinfo?: string | undefined
  active?: boolean | undefined
  /** A form that the import knows. */
  hash?: unknown
  mustChange?: boolean | undefined
  totp?: unknown
  passkeys?: readonly Readonly<Record<string, unknown>>[] | undefined
  userHandle?: string | undefined
  /** Second factors that stay behind, such as `SMS`. */
  lostFactors?: readonly string[] | undefined
  /** Other providers through which they signed in. */
  providers?: readonly string[] | undefined
  /** What is said of somebody without a password; otherwise what to do. */
  withoutPassword?: Remark['what'] | undefined
  roles?: readonly string[] | undefined
  groups?: readonly string[] | undefined
  organisations?: readonly string[] | undefined
  attributes?: Readonly<Record<string, readonly string[]>> | undefined
}

/** Somebody as a row of the import, and what the report tells of them. */
export function* personOf(read: ReadPerson): Generator<ToldPerson | Remark> {
  const label = labelOf(read)
  const { system, email, roles = [], groups = [], organisations = [], attributes = {} } = read
  if (email === undefined) {
    yield decide(
      `Somebody has no e-mail address, by which people sign in here: give one in ${system}.`,
      label,
    )
    return
  }
  const row = { ...claimsOf(read, email), ...proofsOf(read) }
  yield { is: 'person', label, row, roles, groups, organisations, attributes }
  yield* remarksOf(read, label)
}

const labelOf = ({ username, email, subject, system }: ReadPerson): string =>
  email ?? username ?? subject ?? `somebody of ${system}`

function claimsOf(read: ReadPerson, email: string): Record<string, unknown> {
  const { subject, givenName, familyName, username, picture, zoneinfo } = read
  const locale = read.locale?.replaceAll('_', '-')
  const whole = [givenName, familyName].filter((one) => one !== undefined).join(' ')
  return said({
    ...(subject !== undefined &&
      (isUuid(subject) ? { uuid: subject.toLowerCase() } : { former_sub: subject })),
    email,
    email_verified: read.emailVerified === true,
    name: read.name ?? (whole === '' ? (username ?? email) : whole),
    given_name: givenName,
    family_name: familyName,
    preferred_username: username,
    picture: picture !== undefined && redirectUriProblem(picture, 'web') === undefined ? picture : undefined,
    locale: locale !== undefined && localeProblem(locale) === undefined ? locale : undefined,
    zoneinfo: zoneinfo !== undefined && timeZoneProblem(zoneinfo) === undefined ? zoneinfo : undefined,
    active: read.active === false ? false : undefined,
  })
}

const said = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, one]) => one !== undefined))

function proofsOf({ hash, mustChange, totp, passkeys = [], userHandle, lostFactors = [] }: ReadPerson) {
  const loses = lostFactors.length > 0 && totp === undefined && passkeys.length === 0
  return said({
    password_hash: hash,
    password_temporary: mustChange === true && hash !== undefined ? true : undefined,
    totp_secret: totp,
    ...(passkeys.length > 0 && { user_handle: userHandle, passkeys }),
    enrolment_required: loses ? true : undefined,
  })
}

function* remarksOf(read: ReadPerson, label: string): Generator<Remark> {
  const { hash, passkeys = [], lostFactors = [], providers = [], withoutPassword } = read
  for (const one of new Set(lostFactors))
    yield lost(
      'A second factor does not come along; whoever has no other one left sets up one at the next sign-in.',
      `${label}: ${one}`,
    )
  for (const one of new Set(providers))
    yield decide(
      'Somebody signs in through another provider, which does not come along yet: let them set a password by a mailed link.',
      `${label}: ${one}`,
    )
  if (hash === undefined && passkeys.length === 0 && providers.length === 0)
    yield decide(
      withoutPassword ?? 'Somebody has nothing to sign in with: let them set a password by a mailed link.',
      label,
    )
}

/** What can stand in an attribute: text, numbers and flags, and lists of them. */
export function attributesOf(values: unknown, prefix = ''): Record<string, string[]> {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return {}
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const all = (Array.isArray(value) ? value : [value])
        .filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
        .map(String)
      return all.length === 0 ? [] : [[`${prefix}${name}`, all]]
    }),
  )
}
