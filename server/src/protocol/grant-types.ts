/** RFC 8628 §3.4 */
export const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** RFC 8693 §2.1 */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The grants of the token endpoint. A new one also needs its file in `oauth2/grants/` and its line in `oauth2/token.ts`. */
export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  deviceCodeGrant,
  tokenExchangeGrant,
] as const

export type GrantType = (typeof grantTypes)[number]

export const isGrantType = (value: string): value is GrantType =>
  (grantTypes as readonly string[]).includes(value)
