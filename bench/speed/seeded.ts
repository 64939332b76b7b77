import { hash } from 'node:crypto'
import { randomFrom } from '../history.ts'

/** All that a bench chooses at random; the same seed chooses the same. */
export class Seeded {
  readonly #seed: number
  readonly #random: () => number
  #texts = 0

  constructor(seed: number) {
    this.#seed = seed
    this.#random = randomFrom(seed)
  }

  /** From 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  /** 43 base64url characters that no one got before. */
  text(): string {
    return secretOf(this.#seed, 'text', this.#texts++)
  }
}

/** The same 43 base64url characters for the same name and number. */
export function secretOf(seed: number, name: string, number: number): string {
  return hash('sha256', `${seed} ${name} ${number}`, 'base64url')
}
