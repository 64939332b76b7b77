/** RFC 8628 §3.4 */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grants of the token endpoint. A new one also needs its file in `oauth2/grants/` and its line in `oauth2/token.ts`. */
export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  deviceCodeGrant,
] as const

export type GrantType = (typeof grantTypes)[number]

export const isGrantType = (value: string): value is GrantType =>
  (grantTypes as readonly string[]).includes(value)
