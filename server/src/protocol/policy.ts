/** How strongly people have to sign in: what may be set, and which of several policies counts. */
import { acrOf, type Authentication, higher, type Level, meets, provedOf } from './authentication.ts'

/** The values from the weakest to the strongest. `off` hides the offer alone. */
export const secondFactorValues = ['off', 'optional', 'required', 'passkey'] as const
type SecondFactor = (typeof secondFactorValues)[number]

/** A policy that the installation, an organisation, a role or a client sets. What is left out is not set. */
export type Policy = {
  second_factor?: SecondFactor | undefined
  grace_days?: number | undefined
  trusted_device_days?: number | undefined
  password_length?: number | undefined
  sign_in?: SignInBy | undefined
  /** The installation and organisations have it. */
  email_change?: EmailChange | undefined
  /** The installation alone has it. */
  self_deletion?: boolean | undefined
}

/** The ways by which people act under a profile: every way, or only with a proof by their organisation's upstream. */
export const signInValues = ['any', 'upstream'] as const
type SignInBy = (typeof signInValues)[number]

/** The parties that may change the address of a person. */
export const emailChangeValues = ['self', 'administrator'] as const
type EmailChange = (typeof emailChangeValues)[number]

export const shortestPassword = 8
/** The highest values. */
export const policyLimits = { grace_days: 30, trusted_device_days: 90, password_length: 64 } as const

/** What counts for somebody who acts under a profile through a client. */
export interface Demand {
  secondFactor: SecondFactor
  /** Which it needs. */
  level: Level
  graceDays: number
  trustedDeviceDays: number
  passwordLength: number
  /** A proof by the organisation's own upstream is demanded, where it has one that works. */
  signIn: SignInBy
}

const levelOf: Record<SecondFactor, Level> = { off: '1', optional: '1', required: '2', passkey: 'phr' }

const demands = ({ second_factor: value }: Policy) => value !== undefined && levelOf[value] !== '1'

/**
 * The strictest of all: the highest level, the fewest days, the longest password. Where a policy demands a second factor
 * and names no days it means none, so that another one can't add what it left out.
 */
export function strictest(policies: readonly Policy[]): Demand {
  const factors = policies.flatMap(({ second_factor: value }) => value ?? [])
  const secondFactor = factors.reduce<SecondFactor | undefined>(
    (highest, one) => (highest !== undefined && strength(highest) >= strength(one) ? highest : one),
    undefined,
  )
  return {
    secondFactor: secondFactor ?? 'optional',
    level: levelOf[secondFactor ?? 'optional'],
    graceDays: fewest(policies, 'grace_days'),
    trustedDeviceDays: fewest(policies, 'trusted_device_days'),
    signIn: policies.some(({ sign_in: by }) => by === 'upstream') ? 'upstream' : 'any',
    passwordLength: Math.max(shortestPassword, ...policies.map((one) => one.password_length ?? 0)),
  }
}

const strength = (value: SecondFactor) => secondFactorValues.indexOf(value)

function fewest(policies: readonly Policy[], name: 'grace_days' | 'trusted_device_days'): number {
  const all = policies.flatMap((one) => one[name] ?? (demands(one) ? 0 : []))
  return all.length === 0 ? 0 : Math.min(...all)
}

/** The column's JSON, where null is as good as nothing; undefined: nothing is set. */
export const policyOf = (text: string | null): Policy | undefined =>
  text === null ? undefined : (JSON.parse(text, (_, value: unknown) => value ?? undefined) as Policy)

/** The policy as it is kept: equal policies have the same text, null where nothing is set. */
export function storedPolicy(policy: Policy): string | null {
  const { second_factor, grace_days, trusted_device_days, password_length, sign_in, email_change } = policy
  const text = JSON.stringify({
    second_factor,
    grace_days,
    trusted_device_days,
    password_length,
    sign_in,
    email_change,
  })
  return text === '{}' ? null : text
}

/** What a merge patch makes of a policy (RFC 7396): what it leaves out stays. */
export function mergedPolicy(before: string | null, patch: string | null): string | null {
  if (patch === null) return null
  const merged = { ...policyOf(before), ...(JSON.parse(patch) as object) }
  return storedPolicy(policyOf(JSON.stringify(merged)) ?? {})
}

/** Whether one is at least as strict as another in everything. */
export function isAsStrict(one: Policy, other: Policy): boolean {
  if (administratorsChangeAddresses([other]) && !administratorsChangeAddresses([one])) return false
  if (one.self_deletion === true && other.self_deletion !== true) return false
  return JSON.stringify(strictest([one])) === JSON.stringify(strictest([one, other]))
}

/** One of them suffices. */
export const administratorsChangeAddresses = (policies: readonly Policy[]): boolean =>
  policies.some((one) => one.email_change === 'administrator')

const day = 24 * 3_600_000

/** A person, as far as policy looks at them, and what they proved. */
export interface PolicySubject {
  user: { second_factor: 0 | 1; enrolment_required: 0 | 1; grace_began_at: number | null }
  proven: Authentication
}

/** The level that policy demands of these proofs, while they lack it, whatever grace there is. */
export function policyLacks(demand: Demand, { user, proven }: PolicySubject, now: number): Level | undefined {
  const wanted = user.enrolment_required ? higher(demand.level, '2') : demand.level
  // What tokens say may be less than what was proved.
  if (wanted === '1' || meets(proven.acr, wanted) || meets(acrOf(provedOf(proven)), wanted)) return undefined
  return wanted === '2' && isTrusted(proven, demand, now) ? undefined : wanted
}

/** Whether a trusted device still stands in for the second factor: by its own proof's time and today's policy. */
export const isTrusted = (proven: Authentication, { trustedDeviceDays }: Demand, now: number): boolean =>
  trustedDeviceDays > 0 &&
  provedOf(proven).some(({ method, at }) => method === 'trusted_device' && now - at < trustedDeviceDays * day)

/** When grace ends that runs now, or would begin now. There is none after a factor was there, or where one is demanded. */
export function graceEnd(
  { graceDays }: Demand,
  user: PolicySubject['user'],
  now: number,
): number | undefined {
  if (graceDays === 0 || user.second_factor || user.enrolment_required) return undefined
  const end = (user.grace_began_at ?? now) + graceDays * day
  return now < end ? end : undefined
}

/** The level for the lack of which a code or a refresh token is refused. Undefined: it counts, perhaps within grace. */
export function refusedBy(demand: Demand, asked: PolicySubject, now: number): Level | undefined {
  const wanted = policyLacks(demand, asked, now)
  const inGrace = asked.user.grace_began_at !== null && graceEnd(demand, asked.user, now) !== undefined
  return inGrace ? undefined : wanted
}
