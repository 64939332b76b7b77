import { randomUUID } from 'node:crypto'
import { randomText } from './identifier.ts'

/**
 * The `jti` of access tokens. A person's is `<family id>.<random>`, which leads to the token family. A machine's is
 * `<generation>.<random>`, which ends with the client's generation; generation 0 is left out.
 */
export const personTokenId = (familyId: string): string => `${familyId}.${randomText(8, 'hex')}`

export const machineTokenId = (generation: number): string =>
  generation === 0 ? randomUUID() : `${generation}.${randomUUID()}`

/** The family id in a person's `jti`. */
export const familyOf = (jti: string): string => jti.split('.')[0] ?? ''

/** The generation in a machine's `jti`. */
export function generationOf(jti: string): number {
  const [generation = '', random] = jti.split('.')
  return random === undefined ? 0 : Number(generation)
}
