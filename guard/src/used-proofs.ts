/** Knows the proofs that were used, so that none counts twice (RFC 9449 §11.1). Times are in ms since 1970. */
export interface UsedProofs {
  /** Notes the proof of a holder, or says why it does not count. */
  use(
    holder: string,
    proof: { readonly jti: string; readonly madeAt: number },
    now: number,
  ): string | undefined
}

interface Holder {
  /** When each was made, by jti, in the order of arrival. */
  readonly used: Map<string, number>
  /** What was made until then may have been forgotten, and is refused. */
  forgottenUntil: number
  /** When the youngest is too old. */
  until: number
}

/**
 * Knows at most `capacity` proofs, each until it is too old. When there is no more room, whoever holds most of it
 * forgets their own oldest, and from then on nothing of theirs that is as old counts. So no flood makes room for a replay,
 * none pushes out what others used, and a single busy holder gets along with a shorter time.
 */
export function createUsedProofs(capacity: number, maxAgeMs: number): UsedProofs {
  const holders = new Map<string, Holder>()
  let count = 0

  /** The order is that of their last use, so those of whom nothing is young enough come first. */
  function dropIdle(now: number): void {
    for (const [name, { used, until }] of holders) {
      if (until >= now) return
      holders.delete(name)
      count -= used.size
    }
  }

  function dropOld({ used }: Holder, now: number): void {
    for (const [jti, madeAt] of used) {
      if (madeAt + maxAgeMs >= now) return
      used.delete(jti)
      count -= 1
    }
  }

  function makeRoom(): boolean {
    let most: Holder | undefined
    for (const one of holders.values()) if (one.used.size > (most?.used.size ?? 1)) most = one
    const [oldest] = most?.used ?? []
    if (most === undefined || oldest === undefined) return false
    const [jti, madeAt] = oldest
    most.used.delete(jti)
    most.forgottenUntil = Math.max(most.forgottenUntil, madeAt)
    count -= 1
    return true
  }

  return {
    use(name, { jti, madeAt }, now) {
      dropIdle(now)
      const holder = holders.get(name) ?? {
        used: new Map(),
        forgottenUntil: Number.NEGATIVE_INFINITY,
        until: 0,
      }
      if (holder.used.has(jti)) return 'The DPoP proof was used before'
      if (madeAt <= holder.forgottenUntil)
        return 'The DPoP proof is older than those that are remembered of its key'
      dropOld(holder, now)
      if (count >= capacity && !makeRoom()) return 'Too many DPoP proofs are in use'
      holder.used.set(jti, madeAt)
      holder.until = Math.max(holder.until, madeAt + maxAgeMs)
      holders.delete(name)
      holders.set(name, holder)
      count += 1
      return undefined
    },
  }
}
