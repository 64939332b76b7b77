import { isBuiltIn } from './built-in-clients.ts'
import { deceivingProblem, isSeen } from './characters.ts'
import { tooLong } from './length.ts'
import { dangerousSchemes, isLoopbackHost } from './redirect-uri.ts'

/** What is wrong with a value, to follow its name (“… is no UUID”); undefined when nothing is. */
export type ValueProblem = (value: string) => string | undefined

/** A name in the form that is searched: Unicode-normalised, lower case. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}

/** A name, as `nameKey` yields it, from each of its words on. Words end at a space or a hyphen. */
export const wordsFrom = (key: string): string[] => [
  key,
  ...[...key.matchAll(/[ -](?=[^ -])/g)].map(({ index }) => key.slice(index + 1)),
]

/** Text on one line. */
export function textProblem(maxLength: number): ValueProblem {
  return (value) => problemOfText(value, maxLength, /\p{Cc}/u)
}

/** Text on several lines. */
export function longTextProblem(maxLength: number): ValueProblem {
  return (value) => problemOfText(value.trimEnd(), maxLength, /[^\P{Cc}\n\t]/u)
}

function problemOfText(value: string, maxLength: number, forbidden: RegExp): string | undefined {
  if (!isSeen(value)) return 'is empty'
  const long = tooLong(value, maxLength)
  if (long !== undefined) return long
  // PostgreSQL can't store NUL or half of a surrogate pair.
  if (forbidden.test(value) || /\p{Cs}/u.test(value)) return 'holds a control character'
  return deceivingProblem(value)
}

export const codeProblem: ValueProblem = (value) =>
  value.length <= 60 && /^[a-z0-9][a-z0-9-]*$/.test(value)
    ? undefined
    : 'is no code: lower-case letters, digits and dashes, at most 60, not beginning with a dash'

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => uuidPattern.test(value)

/** The spelling of RFC 9562 §4: applications compare a `sub` letter by letter. */
export const canonicalUuidProblem: ValueProblem = (value) =>
  isUuid(value) && value === value.toLowerCase()
    ? undefined
    : 'is no UUID in small letters: 32 of 0-9 and a-f, with hyphens as 8-4-4-4-12'

/** The longest client_id: one that is the address of a document. */
export const longestClientId = 512
const longestNamedId = 200

/** RFC 6749 §2.2. Applications that move here keep their ids: UUIDs, URLs and URNs among them. */
export const clientIdProblem: ValueProblem = (value) => {
  if (isBuiltIn(value)) return "is reserved: what begins with tessera: are the service's own clients"
  const longest = value.startsWith('https://') ? longestClientId : longestNamedId
  if (value.length <= longest && /^[A-Za-z0-9][\w.~:/?#@!$&()*+,;=%-]*$/.test(value)) return undefined
  return `is no client_id: letters, digits and . _ ~ - or what a URL or URN is made of, at most ${longestNamedId}, a letter or digit first`
}

/** A machine's `sub` is its client_id, and people's are UUIDs (decisions 3). */
export const machineIdProblem: ValueProblem = (value) => {
  if (isUuid(value)) return "is a UUID; a machine's id must not look like a person's"
  if (/^[\w.~-]{1,100}$/.test(value)) return undefined
  return 'is for clients of people; that of a machine has letters, digits and . _ ~ - alone, at most 100'
}

/** An absolute URI that names a service (RFC 8707 §2); nothing need answer there. */
export const audienceProblem: ValueProblem = (value) => {
  const long = tooLong(value, 500)
  if (long !== undefined) return long
  if (/[^\x21-\x7E]|[\\<>"{}|^`#*]/.test(value)) return 'holds a character that an audience may not have'
  const absolute = /^(https?:\/\/[^/?]+|urn:[a-z0-9-]+:.)/.test(value) && URL.canParse(value)
  return absolute ? undefined : 'is no audience: write an absolute URI, such as https://ledger.example/api'
}

/** The origin of pages that come with an application or an extension, such as `capacitor://localhost`. */
const installedOrigin = /^(?!https?:)([a-z][a-z0-9+.-]*:)\/\/[a-z0-9._-]+(:\d{1,5})?$/

/** An origin as browsers send it. */
export const originProblem: ValueProblem = (value) => {
  const own = originOf(value)
  if (own === value) return undefined
  const [, scheme] = installedOrigin.exec(value) ?? []
  if (scheme !== undefined && !dangerousSchemes.has(scheme)) return undefined
  const cure = own === undefined ? '' : `; write ${own}`
  return `is no origin: https, or http on this machine, host and port, without path or final slash${cure}`
}

/** The https or loopback origin of an address; undefined when it has none. */
export function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, origin } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)) ? origin : undefined
}

export const localeProblem: ValueProblem = (value) =>
  /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/.test(value)
    ? undefined
    : 'is no language tag, such as en or de-CH'

export const timeZoneProblem: ValueProblem = (value) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return undefined
  } catch {
    return 'is no time zone, such as Europe/Zurich'
  }
}

const instantPattern = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Epoch milliseconds of a date (its beginning in UTC), or of a date and time with an offset. */
export function instantOf(value: string): number | undefined {
  const [, year, month, day] = instantPattern.exec(value) ?? []
  const at = year === undefined ? Number.NaN : Date.parse(value)
  // Date.parse accepts 30 February and means 1 March.
  const exists = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  return isWritable(at) && exists ? at : undefined
}

/** The day of a moment, in UTC: `2031-01-31`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const dayProblem: ValueProblem = (value) =>
  value.length === 10 && instantOf(value) !== undefined ? undefined : 'is no day; write 2031-01-31'

/** An offset can lead out of the years 0 to 9999; a stored time must be writable in UTC. */
const isWritable = (at: number): boolean =>
  at >= Date.parse('0000-01-01T00:00:00Z') && at <= Date.parse('9999-12-31T23:59:59.999Z')
