import { type AccessTokenClaims, isMachine } from './claims.ts'
import { type Allowed, insufficientAuthentication, noPerson, type Refused } from './decision.ts'
import { assertPermission } from './permission.ts'

/** The values of `acr`, from the weakest on. */
const levels = ['1', '2', 'phr'] as const

/** A permission, and how strongly and how lately the person must have proved who they are (RFC 9470). */
export interface StepUp {
  readonly permission: string
  /** The level that is wanted; a higher one meets it. */
  readonly acr?: (typeof levels)[number] | undefined
  /** Seconds that may have passed since `auth_time`. */
  readonly maxAge?: number | undefined
}

/** Clocks differ by less, in seconds. */
const skew = 5

/** @throws TypeError when it demands what no token can hold. */
export function assertStepUp(value: unknown): asserts value is StepUp {
  if (typeof value !== 'object' || value === null) assertPermission(value)
  const { permission, acr, maxAge, ...others } = value as Record<string, unknown>
  assertPermission(permission)
  const [other] = Object.keys(others)
  if (other !== undefined) throw new TypeError(`${other} is no part of a requirement`)
  if (acr === undefined && maxAge === undefined) throw new TypeError('A requirement needs acr or maxAge')
  if (acr !== undefined && !levels.some((one) => one === acr))
    throw new TypeError(`The acr is one of ${levels.join(', ')}, not ${JSON.stringify(acr)}`)
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && Number(maxAge) >= 0))
    throw new TypeError('The maxAge is a whole number of seconds')
}

/** Whether the claims of somebody who has the permission are strong and fresh enough. `now`: ms since 1970. */
export function meetStepUp(allowed: Allowed, stepUp: StepUp, now: number): Allowed | Refused {
  const { claims } = allowed
  // Nobody could prove more for a machine, so it is no 401, after which it would try again.
  if (isMachine(claims)) return noPerson(stepUp.permission)
  if (isStrong(claims, stepUp) && isFresh(claims, stepUp, now)) return allowed
  return insufficientAuthentication(stepUp)
}

function isStrong({ acr }: AccessTokenClaims, { acr: wanted }: StepUp): boolean {
  if (wanted === undefined) return true
  const least = levels.indexOf(wanted)
  // A level that is asked for by mistake is never met.
  return least >= 0 && levels.findIndex((one) => one === acr) >= least
}

function isFresh({ auth_time: at }: AccessTokenClaims, { maxAge }: StepUp, now: number): boolean {
  if (maxAge === undefined) return true
  return at !== undefined && now / 1000 - at <= maxAge + skew
}
