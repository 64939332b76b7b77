import * as z from 'zod'
import { parseJson } from '../protocol/json.ts'

/** A password credential of a Keycloak export: two objects, which its database and its export have as text. */
const part = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === 'string' ? parsed(value) : value), schema)

const credential = z.object({
  credentialData: part(z.object({ algorithm: z.string(), hashIterations: z.number() })),
  secretData: part(z.object({ value: z.base64(), salt: z.base64() })),
})

const algorithms: Readonly<Record<string, string>> = {
  pbkdf2: 'pbkdf2',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
}

/** What is stored for a Keycloak credential that was made with PBKDF2; anything else as it is. */
export function keycloakHash(value: unknown): unknown {
  const { success, data } = credential.safeParse(value)
  const algorithm = success ? algorithms[data.credentialData.algorithm] : undefined
  if (!success || algorithm === undefined) return value
  const { credentialData, secretData } = data
  const [salt, key] = [secretData.salt, secretData.value].map((one) => one.replaceAll('=', ''))
  return `$${algorithm}$i=${credentialData.hashIterations}$${salt}$${key}`
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
