import * as z from 'zod'
import { type Unusable, unusable } from '../protocol/password-hash/kinds.ts'
import { readWeakHash, type WeakHash } from '../protocol/password-hash/weak.ts'
import { passwordHashProblem } from '../protocol/password-hash.ts'
import { type FirebaseKey, firebaseHash, kratosFirebaseHash } from './firebase.ts'
import { keycloakHash } from './keycloak.ts'

export interface HashOptions {
  firebaseKey?: FirebaseKey | undefined
  /** Our own hash of a weak digest; left out: weak hashes are refused. */
  wrapWeak?: ((digest: string) => Promise<string>) | undefined
}

/** What a row says of a password: what is stored, or a weak hash that is wrapped first. */
interface FoundHash {
  stored?: string
  weak?: WeakHash
}

/** A row whose hash is read, for a schema with `foundHash`. */
export const withFoundHash = (values: Record<string, unknown>, options: HashOptions): object =>
  values.password_hash === undefined
    ? values
    : { ...values, password_hash: readHash(values.password_hash, options) }

export const foundHash = z.custom<FoundHash | Unusable>().transform((found, context): FoundHash => {
  if (!('problem' in found)) return found
  // The hash itself is left out: refusals are printed.
  context.issues.push({ code: 'custom', input: '', message: `It ${found.problem}.` })
  return z.NEVER
})

/** A text, or an object of Keycloak or Firebase. */
function readHash(value: unknown, { firebaseKey, wrapWeak }: HashOptions): FoundHash | Unusable {
  const text = textOf(value, firebaseKey)
  if (typeof text !== 'string') return text
  if (text.length > 1000) return unusable('is longer than 1000 characters')
  const weak = wrapWeak === undefined ? undefined : readWeakHash(text)
  if (weak !== undefined) return 'problem' in weak ? weak : { weak }
  const problem = passwordHashProblem(text)
  return problem === undefined ? { stored: text } : { problem }
}

const ofFirebase = z.object({ passwordHash: z.string(), salt: z.string() })

function textOf(value: unknown, firebaseKey: FirebaseKey | undefined): string | Unusable {
  if (typeof value === 'string') return kratosFirebaseHash(value) ?? value
  const keycloak = keycloakHash(value)
  if (keycloak !== undefined) return keycloak
  const { data } = ofFirebase.safeParse(value)
  if (data === undefined)
    return unusable(
      'is neither a text nor an object that Keycloak ({credentialData, secretData}, PBKDF2 or argon2) or Firebase ({passwordHash, salt}) writes',
    )
  if (firebaseKey === undefined)
    return unusable('is of Firebase, which needs the parameters of its project: add --firebase-key FILE')
  return firebaseHash(data, firebaseKey) ?? unusable('was not made with the signer key of --firebase-key')
}
