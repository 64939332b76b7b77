import { ProtocolError } from './errors.ts'

/** A parameter is missing, repeated, malformed, or contradicts another (RFC 6749 §5.2). */
export const invalidRequest = (description: string): ProtocolError =>
  new ProtocolError('invalid_request', description)

/** The code or refresh token does not count, or does not fit the request (RFC 6749 §5.2). */
export const invalidGrant = (description: string): ProtocolError =>
  new ProtocolError('invalid_grant', description)

/** What was proved is less than policy demands by now. */
export const tooWeak = (code: 'invalid_grant' | 'interaction_required', level: string): ProtocolError =>
  new ProtocolError(
    code,
    `The person has to prove more: send them to the authorization endpoint with acr_values=${level}.`,
    { acrValues: level },
  )

/** Refusals of stage one (decisions 2): shown on a page and never redirected, with 400 instead of 401. */
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

/** Of a page that a link leads to. */
export const linkFormExpired = (): ProtocolError =>
  new ProtocolError('form_expired', 'The form does not belong to this browser. Open the link again.')
