import * as z from 'zod'
import { someText, someTexts, yesOrNo } from './record-source.ts'

/** The rows of Logto's tables, as far as something here comes of them. */

const json = <Value extends z.ZodType>(value: Value) => z.preprocess(parsed, value)

/** CSV has objects as text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const metadata = json(
  z.object({
    redirectUris: someTexts,
    postLogoutRedirectUris: someTexts,
    backchannelLogoutUri: someText,
    logoUri: someText,
  }),
)
export const kinds = {
  Native: 'native',
  SPA: 'public',
  Traditional: 'web',
  MachineToMachine: 'machine',
} as const
export const application = z.object({
  id: z.string(),
  name: someText,
  secret: someText,
  type: z.string(),
  oidcClientMetadata: metadata,
  customClientMetadata: json(z.object({ corsAllowedOrigins: someTexts })).catch({ corsAllowedOrigins: [] }),
  isThirdParty: yesOrNo,
})
export type LogtoApplication = z.output<typeof application>

export const factor = z.object({
  type: z.string(),
  key: someText,
  credentialId: someText,
  publicKey: someText,
  counter: z.int().optional().catch(undefined),
  transports: someTexts,
  rpId: someText,
})

export const person = z.object({
  id: z.string(),
  username: someText,
  primaryEmail: someText,
  name: someText,
  avatar: someText,
  passwordEncrypted: someText,
  passwordEncryptionMethod: someText,
  hasPassword: yesOrNo,
  isSuspended: yesOrNo,
  profile: json(
    z.object({ givenName: someText, familyName: someText, locale: someText, zoneinfo: someText }),
  ).catch({ givenName: undefined, familyName: undefined, locale: undefined, zoneinfo: undefined }),
  identities: json(z.record(z.string(), z.unknown())).catch({}),
  ssoIdentities: json(z.array(z.unknown())).catch([]),
  customData: json(z.record(z.string(), z.unknown())).catch({}),
  mfaVerifications: json(z.array(factor).nullish()).optional(),
  mfaVerificationFactors: someTexts,
})

export const shapes = {
  usersRole: z.object({ userId: z.string(), roleId: z.string() }),
  within: z.object({ organizationId: z.string(), userId: z.string(), organizationRoleId: z.string() }),
  member: z.object({ organizationId: z.string(), userId: z.string() }),
  secret: z.object({ applicationId: z.string(), value: z.string(), expiresAt: z.unknown().optional() }),
  role: z.object({
    id: z.string(),
    name: z.string(),
    type: z.literal(['User', 'MachineToMachine']),
    description: someText,
  }),
  organisation: z.object({ id: z.string(), name: z.string(), customData: z.unknown() }),
}
