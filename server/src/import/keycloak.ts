import * as z from 'zod'
import { parseJson } from '../protocol/json.ts'

/** A password credential of a Keycloak export: two objects, which its database and its export have as text. */
export const part = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' ? parsed(value) : value), schema)

/** Keycloak's further parameters are lists, each of one text. */
const said = <T extends z.ZodType>(schema: T) => z.tuple([schema])
const number = z.string().regex(/^\d{1,10}$/)

const argon2 = z.object({
  type: said(z.enum(['id', 'i', 'd'])),
  version: said(z.enum(['1.0', '1.3'])),
  memory: said(number),
  parallelism: said(number),
})

const credential = z.object({
  credentialData: part(
    z.object({
      algorithm: z.enum(['pbkdf2', 'pbkdf2-sha256', 'pbkdf2-sha512', 'argon2']),
      hashIterations: z.int(),
      additionalParameters: z.unknown().optional(),
    }),
  ),
  secretData: part(z.object({ value: z.base64(), salt: z.base64() })),
})

/** The PHC string of a Keycloak credential; undefined: it is none that can be read. */
export function keycloakHash(value: unknown): string | undefined {
  const { data } = credential.safeParse(value)
  if (data === undefined) return undefined
  const { algorithm, hashIterations: count, additionalParameters } = data.credentialData
  const [salt, key] = [data.secretData.salt, data.secretData.value].map((one) => one.replaceAll('=', ''))
  if (algorithm !== 'argon2') return `$${algorithm}$i=${count}$${salt}$${key}`
  const { data: more } = argon2.safeParse(additionalParameters)
  if (more === undefined) return undefined
  const version = more.version[0] === '1.3' ? 19 : 16
  return `$argon2${more.type[0]}$v=${version}$m=${more.memory[0]},t=${count},p=${more.parallelism[0]}$${salt}$${key}`
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
