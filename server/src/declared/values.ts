import { isAlias, isScalar } from 'yaml'
import { isLoopbackHost, redirectUriProblem } from '../protocol/redirect-uri.ts'
import { emailKey } from '../store/identifier.ts'
import { kindOf, type Place, type Read, type Reading } from './fields.ts'
import { shown } from './problems.ts'

/** The plain text at a place, before any rule about what it may be. */
function plainText(place: Place, reading: Reading): string | undefined {
  const { node } = place
  const value: unknown = isScalar(node) ? node.value : undefined
  if (typeof value === 'string') return value
  const cure = isAlias(node)
    ? '; aliases are not read, write it out'
    : typeof value === 'number' || typeof value === 'boolean'
      ? '; put it in quotes'
      : value === null
        ? '; leave the key out instead'
        : ''
  reading.problems.add(place.line, `${place.name} is a text, not ${kindOf(node)}${cure}`)
  return undefined
}

/** A text for which `problem` finds nothing wrong. */
function checkedText(problem: (text: string) => string | undefined): Read<string> {
  return (place, reading) => {
    const value = plainText(place, reading)
    if (value === undefined) return undefined
    const wrong = problem(value)
    if (wrong === undefined) return value
    reading.problems.add(place.line, `${place.name} ${shown(value)} ${wrong}`)
    return undefined
  }
}

/** A text that may not be shown: a password, a secret or the hash of one. */
export function hiddenText(problem: (text: string, reading: Reading) => string | undefined): Read<string> {
  return (place, reading) => {
    const value = plainText({ ...place, node: concealed(place.node) }, reading)
    if (value === undefined) return undefined
    const wrong = problem(value, reading)
    if (wrong === undefined) return value
    reading.problems.add(place.line, `${place.name} ${wrong}`)
    return undefined
  }
}

/** The node, but for a number or a flag, whose value a message would show. */
function concealed(node: unknown): unknown {
  return isScalar(node) && typeof node.value !== 'string' && node.value !== null ? undefined : node
}

/** Text for people, on one line. */
export function text(maxLength: number): Read<string> {
  return checkedText((value) => textProblem(value, maxLength, /\p{Cc}/u))
}

/** Text for people, on several lines. */
export function longText(maxLength: number): Read<string> {
  return checkedText((value) => textProblem(value.trimEnd(), maxLength, /[^\P{Cc}\n\t]/u))
}

function textProblem(value: string, maxLength: number, forbidden: RegExp): string | undefined {
  if (value.trim() === '') return 'is empty'
  if (value.length > maxLength) return `is longer than ${maxLength} characters`
  // Not every database can store NUL or half of a surrogate pair.
  if (forbidden.test(value) || /\p{Cs}/u.test(value)) return 'holds a control character'
  return undefined
}

export const code: Read<string> = checkedText((value) =>
  value.length <= 60 && /^[a-z0-9][a-z0-9-]*$/.test(value)
    ? undefined
    : 'is no code: lower-case letters, digits and dashes, at most 60, not beginning with a dash',
)

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => uuidPattern.test(value)

/** A UUID in its canonical, lower-case form. */
export const uuid: Read<string> = (place, reading) =>
  checkedText((value) => (isUuid(value) ? undefined : 'is no UUID'))(place, reading)?.toLowerCase()

const emailPattern = /^[^\s@<>()[\]\\,;:"]{1,64}@[^\s@<>()[\]\\,;:"]{1,190}$/

export const email: Read<string> = checkedText((value) => {
  // Checked as it is compared too: normalisation turns some characters into others, such as ＠ into @.
  const fine = emailPattern.test(value) && emailPattern.test(emailKey(value)) && !/\p{Cc}|\p{Cs}/u.test(value)
  return fine && !/\.\.|@\.|@-|\.$/.test(value) ? undefined : 'is no e-mail address'
})

export const clientId: Read<string> = checkedText((value) => {
  // RFC 6749 §2.2 and decisions 3: a machine's `sub` is its client_id, and people's are UUIDs.
  if (isUuid(value)) return "is a UUID; a client's id must not look like a person's"
  if (/^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/.test(value)) return undefined
  return 'is no client_id: letters, digits and . _ ~ - after a first letter or digit, at most 100'
})

/** An absolute URI that names a service (RFC 8707 §2); it need not be an address that answers. */
export const audience: Read<string> = checkedText((value) => {
  if (value.length > 500) return 'is longer than 500 characters'
  if (/[^\x21-\x7E]|[\\<>"{}|^`#*]/.test(value)) return 'holds a character that an audience may not have'
  const absolute = /^(https?:\/\/[^/?]+|urn:[a-z0-9-]+:.)/.test(value) && URL.canParse(value)
  return absolute ? undefined : 'is no audience: write an absolute URI, such as https://ledger.example/api'
})

/** An address that people or the service are sent to: https, or http on this machine. */
export const webAddress: Read<string> = checkedText((value) => redirectUriProblem(value, 'web'))

export const redirectUri = (type: 'web' | 'native'): Read<string> =>
  checkedText((value) => redirectUriProblem(value, type))

/** An origin as browsers send it. */
export const origin: Read<string> = checkedText((value) => {
  const own = originOf(value)
  if (own === value) return undefined
  const cure = own === undefined ? '' : `; write ${own}`
  return `is no origin: https, or http on this machine, host and port, without path or final slash${cure}`
})

/** The https or loopback origin of an address; undefined when it has none. */
export function originOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { protocol, hostname, origin } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)) ? origin : undefined
}

export const locale: Read<string> = checkedText((value) =>
  /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/.test(value)
    ? undefined
    : 'is no language tag, such as en or de-CH',
)

export const timeZone: Read<string> = checkedText((value) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return undefined
  } catch {
    return 'is no time zone, such as Europe/Zurich'
  }
})
