import { randomUUID } from 'node:crypto'
import { randomText } from './identifier.ts'

/**
 * The `jti` of access tokens. A person's is `<family id>.<random>`, which leads to the token family. A machine's is
 * `<generation>.<random>`, which ends with the client's generation; generation 0 is left out. An exchanged one is that
 * of the person with the generation of each client that exchanged it, in their order.
 */
export const personTokenId = (familyId: string): string => `${familyId}.${randomText(8, 'hex')}`

export const exchangedTokenId = (familyId: string, generations: readonly number[]): string =>
  [personTokenId(familyId), ...generations].join('.')

/** The generations in the `jti` of an exchanged token; of another: none. */
export const generationsOf = (jti: string): number[] => jti.split('.').slice(2).map(Number)

export const machineTokenId = (generation: number): string =>
  generation === 0 ? randomUUID() : `${generation}.${randomUUID()}`

/** The family id in a person's `jti`. */
export const familyOf = (jti: string): string => jti.split('.')[0] ?? ''

/** The generation in a machine's `jti`. */
export function generationOf(jti: string): number {
  const [generation = '', random] = jti.split('.')
  return random === undefined ? 0 : Number(generation)
}
