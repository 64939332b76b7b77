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
  /** When the youngest was made. */
  latest: number
}

/** Proofs this young are never forgotten: a clock that is ahead would otherwise shut out everybody whose is not. */
const youngMs = 5_000

/**
 * Knows at most `capacity` proofs, each until it is too old. When there is no more room, whoever has most of it forgets
 * their own oldest, and from then on nothing of theirs that is as old counts. So no flood makes room for a replay, none
 * pushes out what others used, and a single busy holder gets along with a shorter time. When nobody has more than one,
 * whoever did not come back for longest is forgotten, and the time is shorter for everybody.
 */
export function createUsedProofs(capacity: number, maxAgeMs: number): UsedProofs {
  /** The order is that of their last use. */
  const holders = new Map<string, Holder>()
  /** All of them by how many proofs they have, so that whoever has most is found at once. */
  const bySize: Set<Holder>[] = []
  let count = 0
  let forgottenUntil = Number.NEGATIVE_INFINITY

  function resize(holder: Holder, change: () => void): void {
    const before = holder.used.size
    change()
    const { size } = holder.used
    count += size - before
    bySize[before]?.delete(holder)
    if (size > 0) (bySize[size] ??= new Set()).add(holder)
    while (bySize.at(-1)?.size === 0) bySize.pop()
  }

  function drop(name: string, holder: Holder): void {
    holders.delete(name)
    resize(holder, () => holder.used.clear())
  }

  function dropOld(now: number, holder: Holder): void {
    for (const [name, one] of holders) {
      if (one.latest + maxAgeMs >= now) break
      drop(name, one)
    }
    for (const [jti, madeAt] of holder.used) {
      if (madeAt + maxAgeMs >= now) return
      resize(holder, () => holder.used.delete(jti))
    }
  }

  function makeRoom(now: number): boolean {
    const [most] = bySize.at(-1) ?? []
    const [oldest] = most?.used ?? []
    if (most === undefined || oldest === undefined) return false
    if (most.used.size === 1) return forgetSomebody(now)
    most.forgottenUntil = Math.max(most.forgottenUntil, oldest[1])
    resize(most, () => most.used.delete(oldest[0]))
    return true
  }

  function forgetSomebody(now: number): boolean {
    let tries = 50
    for (const [name, holder] of holders) {
      if (tries-- === 0) return false
      if (holder.latest <= now - youngMs) {
        forgottenUntil = Math.max(forgottenUntil, holder.latest)
        drop(name, holder)
        return true
      }
      // Somebody's clock is ahead: their turn comes later.
      holders.delete(name)
      holders.set(name, holder)
    }
    return false
  }

  return {
    use(name, { jti, madeAt }, now) {
      const none = { used: new Map(), forgottenUntil: Number.NEGATIVE_INFINITY, latest: madeAt }
      const holder: Holder = holders.get(name) ?? none
      if (holder.used.has(jti)) return 'The DPoP proof was used before'
      if (madeAt <= Math.max(holder.forgottenUntil, forgottenUntil))
        return 'The DPoP proof is older than those that are remembered'
      dropOld(now, holder)
      if (count >= capacity && !makeRoom(now)) return 'Too many DPoP proofs are in use'
      holder.latest = Math.max(holder.latest, madeAt)
      holders.delete(name)
      holders.set(name, holder)
      resize(holder, () => holder.used.set(jti, madeAt))
      return undefined
    },
  }
}
