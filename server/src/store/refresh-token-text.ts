import { createHmac } from 'node:crypto'

/**
 * A refresh token is `<family id>.<family secret>.<rotating secret>.<seal>`. The family secret proves that a token
 * is of this family however old it is; the rotating one tells whether it is the current one. The seal binds them:
 * a token that was spoilt on its way was never issued, and must not be taken for one that was replaced. A database
 * holds the hashes of both secrets, so it can't be used to make either.
 */
export interface RefreshToken {
  familyId: string
  familySecret: string
  secret: string
}

const pattern = /^([0-9a-f]{32})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{43})\.([A-Za-z0-9_-]{22})$/

/** The token as the client gets it. */
export function refreshTokenText(token: RefreshToken): string {
  return `${token.familyId}.${token.familySecret}.${token.secret}.${sealOf(token)}`
}

/** The parts of a token that was issued in this form; undefined for every other text. */
export function parseRefreshToken(text: string): RefreshToken | undefined {
  const [, familyId, familySecret, secret, seal] = pattern.exec(text) ?? []
  if (familyId === undefined || familySecret === undefined || secret === undefined) return undefined
  const token = { familyId, familySecret, secret }
  return sealOf(token) === seal ? token : undefined
}

/** 128 bits are enough: only the bearer of the family secret can try, who may end the family anyway. */
function sealOf({ familyId, familySecret, secret }: RefreshToken): string {
  return createHmac('sha256', familySecret).update(`${familyId}.${secret}`).digest('base64url').slice(0, 22)
}
