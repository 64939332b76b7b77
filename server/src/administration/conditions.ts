import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../protocol/problem.ts'
import type { Service } from '../service.ts'
import type { Repeatable } from './change.ts'
import { staleVersion } from '../store/write/rows.ts'
import type { Versions } from './version.ts'
import type { RouteResponse } from './route.ts'

/** The ETag of a version (RFC 9110 §8.8.3). */
export const etagOf = (version: number): string => `"${version}"`

/**
 * The versions that If-Match lets a change be made to (RFC 9110 §13.1.1); undefined: all of them. Throws
 * `precondition_required` when it is needed and not there, `precondition_failed` when it is no version of ours.
 */
export function versionsOf(header: string | undefined, needed: boolean): Versions {
  if (header === undefined) {
    if (!needed) return undefined
    throw new Problem(
      'precondition_required',
      'If-Match is missing. Read the resource and send its ETag, so that nobody overwrites what another changed.',
    )
  }
  if (header.trim() === '*') return undefined
  // A weak one never matches (§8.8.3.2).
  const tags = header.split(',').map((tag) => /^\s*"(\d{1,15})"\s*$/.exec(tag)?.[1])
  const versions = tags.filter((tag) => tag !== undefined).map(Number)
  if (versions.length === 0) throw staleVersion()
  return versions
}

/** Whether a change may go against a declared file. Throws when the header says something else. */
export function overridesFile(header: string | undefined): boolean {
  if (header === undefined) return false
  if (header === 'override') return true
  throw new Problem('invalid_request', `${managedHeader}: override is all that this header may say.`)
}

/** One way for every route, because it is about none of their fields. */
export const managedHeader = 'Tessera-Managed'

const day = 86_400_000

interface Keyed {
  /** The caller and the address: for another caller or address, the same key is another key. */
  scope: string
  body: unknown
  now: number
}

/** How an answer is kept for its Idempotency-Key; undefined when none was sent. */
export function repeatableOf<T>(
  { settings }: Pick<Service, 'settings'>,
  headers: IncomingHttpHeaders,
  { scope, body, now }: Keyed,
  answer: (made: T) => RouteResponse,
): Repeatable<T> | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7E]{1,255}$/.test(key)) {
    throw new Problem(
      'invalid_request',
      'The Idempotency-Key is 1 to 255 printable characters without spaces, such as a UUID.',
    )
  }
  // Keyed: a body can hold a password, which its bare hash would let be guessed.
  const hash = (text: string) => createHmac('sha256', settings.secret).update(text).digest('base64url')
  return {
    keyHash: hash(`${scope} ${key}`),
    requestHash: hash(JSON.stringify(body) ?? ''),
    expiresAt: now + day,
    answer: (made) => JSON.stringify(answer(made)),
  }
}
