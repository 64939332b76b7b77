import { decrypt, encrypt } from './encryption.ts'

const purpose = 'tessera upstream secrets'

/** What is kept encrypted of an upstream: its secret there, and the private key that signs what is sent to it. */
export const upstreamSecrets = ['secret', 'private_key'] as const
export type UpstreamSecret = (typeof upstreamSecrets)[number]

/** A secret of an upstream as it is stored, bound to the upstream and to what it is. */
export const encryptedUpstream = (text: string, uuid: string, of: UpstreamSecret, secret: string): string =>
  encrypt(text, `${uuid}/${of}`, { purpose, secret })

/** The reverse. Throws when none of the service's secrets opens it. */
export function openedUpstream(
  { uuid, of, stored }: { uuid: string; of: UpstreamSecret; stored: string },
  secrets: readonly (string | undefined)[],
): string {
  const text = decrypt(stored, `${uuid}/${of}`, { purpose, secrets })
  if (text !== undefined) return text
  throw new Error(
    `A secret of the upstream ${uuid} was encrypted with another secret than TESSERA_SECRET. Set TESSERA_SECRET_PREVIOUS to the one that was before, and run tessera keys reencrypt. When that one is lost, give the upstream its secret again by tessera upstream change, or make another one where its key is lost.`,
  )
}

/** A form that goes on once somebody comes back from an upstream: it may hold a code. Bound to the session. */
export const encryptedForm = (text: string, sid: string, secret: string): string =>
  encrypt(text, `${sid}/form`, { purpose, secret })

/** The reverse; undefined when none of the secrets opens it. */
export const openedForm = (
  stored: string,
  sid: string,
  secrets: readonly (string | undefined)[],
): string | undefined => decrypt(stored, `${sid}/form`, { purpose, secrets })

/** The ID token of a session at an upstream, kept for signing out there alone; bound to the session here. */
export const encryptedIdToken = (text: string, sid: string, secret: string): string =>
  encrypt(text, `${sid}/id_token`, { purpose, secret })

/** The reverse; undefined when none of the secrets opens it: then nobody is signed out there. */
export const openedIdToken = (
  stored: string,
  sid: string,
  secrets: readonly (string | undefined)[],
): string | undefined => decrypt(stored, `${sid}/id_token`, { purpose, secrets })
