import type { TotpSecret } from '../protocol/totp-secret.ts'
import { decrypt, encrypt } from './encryption.ts'

const purpose = 'tessera totp secrets'

/** A TOTP secret as it is stored, bound to the id of its factor. */
export const encryptedTotp = (one: TotpSecret, id: string, secret: string): string =>
  encrypt(JSON.stringify(one), id, { purpose, secret })

/** The reverse. Throws when none of the service's secrets opens it. */
export function openedTotp(
  { id, secret }: { id: string; secret: string },
  secrets: readonly (string | undefined)[],
): TotpSecret {
  const text = decrypt(secret, id, { purpose, secrets })
  if (text !== undefined) return JSON.parse(text) as TotpSecret
  throw new Error(
    `The second factor ${id} was encrypted with another secret than TESSERA_SECRET. Set TESSERA_SECRET_PREVIOUS to the one that was before, and run tessera keys reencrypt. When that one is lost, remove the factor, and let the person enrol another; one that was removed already is forgotten within seven days.`,
  )
}
