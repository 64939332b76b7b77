/** The claims of an access token, as the guard gives them. */
export interface TokenClaims {
  jti: string
  sub: string
  client_id: string
  sid?: string
  /** Seconds. */
  auth_time?: number
  profile_uuid?: string
  /** The key that it is bound to, which the guard had proved. */
  cnf?: { jkt: string }
  /** The service that acts for the person; here there is none. */
  act?: unknown
}
