import type { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import * as z from 'zod'
import { parseJson } from '../../protocol/json.ts'
import { isIpHost } from '../../protocol/private-address.ts'
import type { Service } from '../../service.ts'

/** The two that people add: a passkey signs them in by itself, a security key follows a password. */
export type CredentialKind = 'passkey' | 'security_key'

/** EdDSA, ES256, RS256. The library's own list grows with the version of Node. */
const algorithms = [-8, -7, -257]

/** The rules are of WebAuthn Level 3. Who credentials belong to, and the one origin that may use them. */
export interface RelyingParty {
  id: string
  origin: string
}

/** Undefined: the issuer is an IP address, for which there are no passkeys (§5.1.2: the RP ID is a domain). */
export function relyingParty({
  issuer,
  settings,
}: Pick<Service, 'issuer' | 'settings'>): RelyingParty | undefined {
  const { hostname, origin } = new URL(issuer)
  return isIpHost(hostname) ? undefined : { id: settings.webauthn.rpId ?? hostname, origin }
}

/** A credential as a list of the browser names it. */
export interface CredentialDescriptor {
  credentialId: string
  transports: readonly string[]
}

const descriptor = ({ credentialId: id, transports }: CredentialDescriptor) => ({
  type: 'public-key',
  id,
  transports,
})

/** What the browser is asked for at enrolment, as JSON (§5.1.8). `existing`: all that the person has. */
export function creationOptions(
  rp: RelyingParty,
  kind: CredentialKind,
  asked: {
    challenge: string
    user: { handle: string; email: string; name: string }
    existing: readonly CredentialDescriptor[]
  },
) {
  preload()
  const { challenge, user, existing } = asked
  const isPasskey = kind === 'passkey'
  const wish = isPasskey ? 'required' : 'discouraged'
  return {
    rp: { id: rp.id, name: rp.id },
    user: { id: user.handle, name: user.email, displayName: user.name },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    authenticatorSelection: { residentKey: wish, requireResidentKey: isPasskey, userVerification: wish },
    hints: isPasskey ? ['client-device', 'hybrid'] : ['security-key'],
    attestation: 'none',
    excludeCredentials: existing.map(descriptor),
    extensions: { credProps: true },
  }
}

/** What the browser is asked for at a sign-in. `allowed`: after a password, those of the person; else any passkey. */
export function requestOptions(
  rp: RelyingParty,
  challenge: string,
  allowed?: readonly CredentialDescriptor[],
) {
  preload()
  return {
    rpId: rp.id,
    challenge,
    userVerification: allowed === undefined ? 'required' : 'discouraged',
    ...(allowed !== undefined && { allowCredentials: allowed.map(descriptor) }),
  }
}

const library = () => import('@simplewebauthn/server')

/** Loading takes a third of a second, while the person finds their key. */
const preload = () => void library().catch(() => undefined)

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/)
/** WebAuthn §4: a credential id has at most 1023 bytes. */
const credentialId = base64url.max(1364)
const parts = { id: credentialId, rawId: credentialId, type: z.literal('public-key') }

const assertionSchema = z.object({
  ...parts,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.optional(),
  }),
})
export type SentAssertion = z.infer<typeof assertionSchema>

const transport = z.string().regex(/^[a-z-]{1,20}$/)
const attestationSchema = z.object({
  ...parts,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(transport).max(10).optional(),
  }),
  clientExtensionResults: z
    .object({ credProps: z.object({ rk: z.boolean().optional() }).optional() })
    .optional(),
})
export type SentAttestation = z.infer<typeof attestationSchema>

/** What a browser sent, as JSON; undefined when it is none. */
export const readAssertion = (sent: string) => read(assertionSchema, sent)
export const readAttestation = (sent: string) => read(attestationSchema, sent)

function read<Schema extends z.ZodType>(schema: Schema, sent: string): z.infer<Schema> | undefined {
  try {
    return schema.safeParse(parseJson(sent)).data
  } catch {
    return undefined
  }
}

/** The state of an authenticator, as it said itself. */
export interface AuthenticatorData {
  signCount: number
  /** The person unlocked the authenticator, by a PIN or a finger, and did not just touch it. */
  userVerified: boolean
  backupEligible: boolean
  backupState: boolean
}

/**
 * What a right signature says (§7.2); undefined for any other. The caller compares the counter, the backup flags and
 * the user handle: the library compares none of these, or refuses before it has looked at the signature.
 */
export async function verifiedAssertion(
  rp: RelyingParty,
  { challenge, sent, publicKey }: { challenge: string; sent: SentAssertion; publicKey: string },
): Promise<AuthenticatorData | undefined> {
  if (isFromFrame(sent.response.clientDataJSON)) return undefined
  const given: Parameters<typeof verifyAuthenticationResponse>[0] = {
    response: { ...sent, response: withoutUndefined(sent.response), clientExtensionResults: {} },
    ...expected(rp, challenge),
    requireUserVerification: false,
    credential: { id: sent.id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
  }
  const { verifyAuthenticationResponse: verify } = await library()
  const { verified, authenticationInfo: told } = await orNone(verify(given))
  return verified && told !== undefined ? { ...flagsOf(told), signCount: told.newCounter } : undefined
}

/** A new credential. */
export interface NewCredential extends AuthenticatorData {
  credentialId: string
  publicKey: string
  transports: readonly string[]
  aaguid: string
}

/** The credential that a browser made (§7.1); undefined when anything of it is wrong. */
export async function verifiedAttestation(
  rp: RelyingParty,
  kind: CredentialKind,
  { challenge, sent }: { challenge: string; sent: SentAttestation },
): Promise<NewCredential | undefined> {
  if (isFromFrame(sent.response.clientDataJSON)) return undefined
  const { clientDataJSON, attestationObject, transports = [] } = sent.response
  const given: Parameters<typeof verifyRegistrationResponse>[0] = {
    response: { ...sent, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    ...expected(rp, challenge),
    requireUserVerification: kind === 'passkey',
    supportedAlgorithmIDs: algorithms,
  }
  const { verifyRegistrationResponse: verify } = await library()
  const { verified, registrationInfo: told } = await orNone(verify(given))
  if (!verified || told === undefined || told.credential.id !== sent.id) return undefined
  // One that the authenticator does not keep could not be found at a sign-in.
  if (kind === 'passkey' && sent.clientExtensionResults?.credProps?.rk === false) return undefined
  return {
    ...flagsOf(told),
    signCount: told.credential.counter,
    credentialId: told.credential.id,
    publicKey: Buffer.from(told.credential.publicKey).toString('base64url'),
    transports,
    aaguid: told.aaguid,
  }
}

const expected = (rp: RelyingParty, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: rp.origin,
  expectedRPID: rp.id,
})

/** The library throws for most of what is wrong. */
const orNone = async <T extends { verified: boolean }>(verifying: Promise<T>): Promise<Partial<T>> => {
  try {
    return await verifying
  } catch {
    return {}
  }
}

const flagsOf = (told: {
  userVerified: boolean
  credentialDeviceType: 'singleDevice' | 'multiDevice'
  credentialBackedUp: boolean
}) => ({
  userVerified: told.userVerified,
  backupEligible: told.credentialDeviceType === 'multiDevice',
  backupState: told.credentialBackedUp,
})

const withoutUndefined = ({ userHandle, ...others }: SentAssertion['response']) =>
  userHandle === undefined ? others : { ...others, userHandle }

const clientDataSchema = z.object({
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.undefined().optional(),
})

/** Pages of ours are never framed (§13.4.9), and the library takes such an answer where no top origin is named. */
const isFromFrame = (clientData: string): boolean =>
  read(clientDataSchema, Buffer.from(clientData, 'base64url').toString()) === undefined
