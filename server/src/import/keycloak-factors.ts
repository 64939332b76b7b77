/** The second factors of a Keycloak export, as rows of the import have them. */
import * as z from 'zod'
import { textProblem } from '../protocol/values.ts'
import { part } from './keycloak.ts'

type Context = z.core.$RefinementCtx

const is = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'credentialData' in value

/** Says what is wrong without what was there: secrets are never printed. */
function refused(context: Context, message: string): never {
  context.issues.push({ code: 'custom', input: '', message })
  return z.NEVER
}

const otp = z.object({
  credentialData: part(
    z.object({
      subType: z.string(),
      algorithm: z.string(),
      digits: z.int(),
      period: z.int().optional(),
      secretEncoding: z.string().nullish(),
    }),
  ),
  secretData: part(z.object({ value: z.string() })),
})

/** A credential of the type `otp` as an `otpauth:` address; anything else as it is. */
export function keycloakTotp(value: unknown, context: Context): unknown {
  if (!is(value)) return value
  const { data } = otp.safeParse(value)
  if (data === undefined) {
    return refused(context, 'It is no credential of the type otp: credentialData and secretData are needed.')
  }
  const { subType, algorithm, digits, period = 30, secretEncoding } = data.credentialData
  if (subType !== 'totp') {
    return refused(context, 'It is a HOTP token, which counts and knows no time: leave it out.')
  }
  // The secret is the text itself, unless it is said to be base32.
  const text = data.secretData.value
  const secret = secretEncoding === 'BASE32' ? text : base32(Buffer.from(text))
  const said = { secret, algorithm: algorithm.replace(/^Hmac/, ''), digits: `${digits}`, period: `${period}` }
  return `otpauth://totp/x?${new URLSearchParams(said)}`
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const fives = bits.match(/.{1,5}/g) ?? []
  return fives.map((five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

const webauthn = z.object({
  type: z.enum(['webauthn', 'webauthn-passwordless']),
  userLabel: z.string().nullish(),
  rp_id: z.string().optional(),
  credentialData: part(
    z.object({
      credentialId: z.base64(),
      credentialPublicKey: z.string(),
      counter: z.int(),
      aaguid: z.string().nullish(),
      transports: z.array(z.string()).nullish(),
    }),
  ),
})

/** A WebAuthn credential as a row has passkeys; anything else as it is. Keycloak does not know what may be synced. */
export function keycloakPasskey(value: unknown, context: Context): unknown {
  if (!is(value)) return value
  const { data } = webauthn.safeParse(value)
  if (data === undefined) {
    return refused(
      context,
      'It is no credential of the type webauthn or webauthn-passwordless, with credentialId, credentialPublicKey and counter.',
    )
  }
  const { type, userLabel, rp_id, credentialData: kept } = data
  const name = userLabel?.trim() ?? ''
  return {
    credential_id: Buffer.from(kept.credentialId, 'base64').toString('base64url'),
    public_key: kept.credentialPublicKey,
    rp_id,
    sign_count: kept.counter,
    transports: kept.transports?.map((one) => one.toLowerCase()),
    aaguid: kept.aaguid ?? undefined,
    kind: type === 'webauthn' ? 'security_key' : 'passkey',
    // What people called it, where it is a name here too.
    ...(textProblem(longestName)(name) === undefined && { name }),
  }
}

/** Names of factors have at most this many characters. */
export const longestName = 60
