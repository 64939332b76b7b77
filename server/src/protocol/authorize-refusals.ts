import { ProtocolError } from './errors.ts'

/** Refusals of stage one (decisions 2): shown on a page and never redirected, so 400 and not the 401 of the token endpoint. */
export function unknownClient(): ProtocolError {
  return new ProtocolError(
    'invalid_client',
    'The client_id is missing or unknown, or the client is inactive.',
    { status: 400 },
  )
}

export function unknownRedirectUri(): ProtocolError {
  return new ProtocolError(
    'invalid_redirect_uri',
    'The redirect_uri is missing, or is not exactly one that is registered for this client.',
  )
}
