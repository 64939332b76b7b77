import type { components } from '../api/types.d.ts'

export type SigningKey = components['schemas']['SigningKey']
type KeyState = 'published' | 'signing' | 'retiring' | 'removed'

/** A key with the moments of its life, epoch milliseconds. */
export interface Life {
  key: SigningKey
  state: KeyState
  published: number
  signs: number
  /** When the next one of its algorithm signs instead; Infinity: none is there yet. */
  retires: number
  removed: number
}

/** The lives of all keys at `now`, the newest first. */
export function livesOf(keys: readonly SigningKey[], now: number): Life[] {
  const lives = keys.map((key): Life => {
    const signs = Date.parse(key.signs_from)
    const later = keys
      .filter(({ alg }) => alg === key.alg)
      .map((one) => Date.parse(one.signs_from))
      .filter((from) => from > signs)
    const retires = Math.min(...later)
    const removed = key.published_until === null ? Infinity : Date.parse(key.published_until)
    const state =
      removed <= now ? 'removed' : signs > now ? 'published' : retires > now ? 'signing' : 'retiring'
    return { key, state, published: Date.parse(key.created_at), signs, retires, removed }
  })
  return lives.sort((one, other) => other.signs - one.signs || one.key.alg.localeCompare(other.key.alg))
}
