import { createHash } from 'node:crypto'
import { decoded, encoded, type Unusable, unusable } from '../protocol/password-hash/kinds.ts'

/** The parameters of a Firebase project, by which all of its hashes were made. */
export interface FirebaseKey {
  signerKey: Buffer
  saltSeparator: Buffer
  rounds: number
  memCost: number
}

/** Reads the parameters as the Firebase console shows them, or as JSON. A problem does not quote them. */
export function readFirebaseKey(text: string): FirebaseKey | Unusable {
  const said = (name: string) =>
    new RegExp(`(?<![\\w])${name}"?\\s*[:=]\\s*"?([A-Za-z0-9+/_=-]+)"?\\s*(?:[,}\\n]|$)`).exec(text)?.[1]
  const signerKey = bytesOf(said('base64_signer_key'))
  const saltSeparator = bytesOf(said('base64_salt_separator'))
  const [rounds, memCost] = [Number(said('rounds')), Number(said('mem_cost'))]
  if (signerKey === undefined || signerKey.length < 32 || saltSeparator === undefined || !rounds || !memCost)
    return unusable(
      'has no base64_signer_key, base64_salt_separator, rounds and mem_cost, as the Firebase console shows them under Authentication, Password hash parameters',
    )
  return { signerKey, saltSeparator, rounds, memCost }
}

/**
 * What is stored for a hash of Firebase. Firebase encrypts the signer key, the same for everybody, with the key that
 * scrypt derives. Half of the key stream, hashed, is enough to check a password: neither the signer key nor the hash of
 * Firebase is in it.
 */
export function firebaseHash(
  { passwordHash, salt }: { passwordHash: string; salt: string },
  { signerKey, saltSeparator, rounds, memCost }: FirebaseKey,
): string | undefined {
  const [bytes, own] = [bytesOf(passwordHash), bytesOf(salt)]
  if (bytes?.length !== signerKey.length || own === undefined) return undefined
  const stream = bytes.subarray(0, 32).map((byte, index) => byte ^ (signerKey[index] ?? 0))
  const key = createHash('sha256').update(stream).digest()
  return `$firebase$ln=${memCost},r=${rounds}$${encoded(Buffer.concat([own, saltSeparator]))}$${encoded(key)}`
}

const kratos = /^\$firescrypt\$ln=(\d{1,2}),r=(\d{1,10}),p=1\$([^$]+)\$([^$]+)\$([^$]+)\$([^$]+)$/

/** What is stored for a hash of Firebase that Kratos kept, with the parameters of the project in it. */
export function kratosFirebaseHash(text: string): string | undefined {
  const [, memCost, rounds, salt = '', passwordHash = '', separator, signer] = kratos.exec(text) ?? []
  const [saltSeparator, signerKey] = [bytesOf(separator), bytesOf(signer)]
  if (saltSeparator === undefined || signerKey === undefined || signerKey.length < 32) return undefined
  const key = { signerKey, saltSeparator, rounds: Number(rounds), memCost: Number(memCost) }
  return firebaseHash({ passwordHash, salt }, key)
}

/** The bytes of base64 of either alphabet; undefined: it is none. */
const bytesOf = (text = ''): Buffer | undefined =>
  /^[A-Za-z0-9+/_-]{2,400}={0,2}$/.test(text) ? decoded(text) : undefined
