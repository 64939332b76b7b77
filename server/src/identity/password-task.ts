/** argon2id as OWASP recommends: 19 MiB, two passes, one lane. */
export const argon2Parameters = {
  // The enum of @node-rs/argon2 is ambient and can't be imported under isolatedModules: 2 is Argon2id.
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
} as const

export type PasswordTask =
  | { id: number; kind: 'hash'; password: string }
  /** `typed`: as it was typed, where that is another text; other systems hash that one. */
  | { id: number; kind: 'verify'; password: string; typed?: string; hash: string }

export interface PasswordAnswer {
  id: number
  hash?: string
  matches?: boolean
  failure?: string
}
