/** argon2id as OWASP recommends: 19 MiB, two passes, one lane. */
export const argon2Parameters = {
  // The enum of @node-rs/argon2 is ambient and can't be imported under isolatedModules: 2 is Argon2id.
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

export type PasswordTask =
  | { kind: 'hash'; password: string }
  /** `typed`: as it was typed, where that is another text; other systems hash that one. */
  | { kind: 'verify'; password: string; typed?: string; hash: string }

export interface PasswordAnswer {
  hash?: string
  matches?: boolean
  failure?: string
}

/**
 * How a thread that hashes gives way to those that sign and answer. `soon`: it has a low priority, which leaves it a
 * share of a busy core, in turns of some milliseconds that a signature then waits for. `idle`: it runs only where a core
 * has nothing else to do, and is interrupted the moment that it has.
 */
export type Manner = 'soon' | 'idle'
