import type { FetchLike } from '@tessera/guard'
import type { Service } from '../service.ts'

/**
 * Gives the guard what it would fetch from the issuer, who is in the same process: the discovery document's place
 * of the keys, and the keys as they are now.
 */
export function ownDocuments({ issuer, keys }: Service): FetchLike {
  const jwksUri = `${issuer}/oauth2/jwks`
  return async (url) => Response.json(url === jwksUri ? keys.jwks() : { issuer, jwks_uri: jwksUri })
}
