/** What the races and the crashes record, for a checker to read afterwards. */
import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Operation {
  /** The round of a race, or the life of a process between two kills. */
  round: number
  kind: 'authorize' | 'exchange' | 'refresh' | 'revoke' | 'userinfo' | 'guess' | 'sign'
  /** What was presented, shortened: a code, a refresh token, an access token, an account. */
  subject: string
  /** What was got, shortened. */
  result?: string
  /** The token family, by the code that opened it. */
  family?: string
  /** By the service's clock, ms. */
  began: number
  ended: number
  /** Undefined: no answer came, and whether it was done is not known. */
  status: number | undefined
  error?: string
}

/** Keeps every operation, and writes it down at once. */
export class History {
  readonly operations: Operation[] = []
  readonly #file: number | undefined

  constructor(path?: string) {
    if (path === undefined) return
    mkdirSync(dirname(path), { recursive: true })
    this.#file = openSync(path, 'w')
  }

  add(operation: Operation): void {
    this.operations.push(operation)
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(operation)}\n`)
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }
}

/** A secret as it stands in a history. */
export function shortened(secret: string | undefined): string {
  return createHash('sha256')
    .update(secret ?? '')
    .digest('base64url')
    .slice(0, 12)
}

/** Numbers in [0, 1) that a seed reproduces (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
