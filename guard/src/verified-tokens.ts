import type { Allowed } from './decision.ts'
import type { Binding } from './proof.ts'
import type { VerificationKey } from './verification-key.ts'

/** A token that passed every check but the one for a permission. */
export interface VerifiedToken {
  readonly token: string
  readonly decision: Allowed
  readonly permissions: ReadonlySet<string>
  /** Expiry, in ms since 1970. */
  readonly expiresAt: number
  readonly key: VerificationKey
  /** Only of a token that is bound to the key of whoever may use it. */
  readonly binding?: Binding | undefined
}

/** Remembers at most `capacity` verified tokens; the least recently used ones go first. */
export interface VerifiedTokens {
  get(token: string): VerifiedToken | undefined
  add(verified: VerifiedToken): void
  delete(token: string): void
}

/**
 * Two generations instead of a list in order of use: a hit costs one look-up, and when the young generation is full the
 * old one is dropped as a whole. Tokens are found by the last characters of their signature, because hashing a whole
 * token would take most of a check's time, and are then compared in full.
 */
export function createVerifiedTokens(capacity: number): VerifiedTokens {
  const generation = Math.ceil(capacity / 2)
  let young = new Map<string, VerifiedToken>()
  let old = new Map<string, VerifiedToken>()

  function put(place: string, verified: VerifiedToken): void {
    if (generation === 0) return
    if (young.size >= generation) {
      old = young
      young = new Map()
    }
    young.set(place, verified)
  }

  return {
    get(token) {
      const place = token.slice(-43)
      let found = young.get(place)
      if (found === undefined) {
        found = old.get(place)
        if (found?.token !== token) return undefined
        old.delete(place)
        put(place, found)
      }
      return found.token === token ? found : undefined
    },
    add: (verified) => put(verified.token.slice(-43), verified),
    delete(token) {
      const place = token.slice(-43)
      young.delete(place)
      old.delete(place)
    },
  }
}
