import { addressMismatch, parameterOf, type Registered } from './address-mismatch.ts'
import { ProtocolError } from './errors.ts'
import type { AddressField } from './redirect-uri.ts'

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

/** Tells the page that one is missing, or the host of what came; all else is told to operators alone. */
export function refusedAddress(
  client: Registered,
  field: AddressField,
  came: string | undefined,
): ProtocolError {
  const mismatch = addressMismatch(client, field, came)
  const parameter = parameterOf(field)
  if (came === undefined)
    return new ProtocolError('invalid_redirect_uri', `The ${parameter} is missing.`, {
      situation: 'no_redirect_uri',
      mismatch,
    })
  return new ProtocolError(
    'invalid_redirect_uri',
    `The ${parameter} is not exactly one that is registered for this client.`,
    { mismatch },
  )
}

export const requestOver = (): ProtocolError =>
  new ProtocolError(
    'request_expired',
    'This sign-in is over, or was begun in another browser. Go back to the application and start again.',
  )

/** What a browser brings is no request that this client pushed and that still counts (RFC 9126 §4). */
export const notPushed = (): ProtocolError =>
  new ProtocolError(
    'request_expired',
    'The request_uri is unknown, has expired, was used, or belongs to another client. Go back to the application and start again.',
  )

/** A person came back to a sign-in that is done. */
export const requestDone = (): ProtocolError =>
  new ProtocolError('request_expired', 'This sign-in is done already. Go back to the application.', {
    situation: 'signed_in',
  })

export const noCookie = (): ProtocolError =>
  new ProtocolError(
    'request_expired',
    'The browser sent no cookie, so nothing shows that this sign-in is its own. Allow cookies for this address, go back to the application and start again.',
    { situation: 'no_cookies' },
  )

/** The form of a page without a link has expired, or is another browser's. */
export const otherBrowser = (): ProtocolError =>
  new ProtocolError('form_expired', 'The form does not belong to this browser. Open it again.')

/** The form of a page that a mailed link leads to has expired. */
export const linkFormExpired = (): ProtocolError =>
  new ProtocolError('form_expired', 'The form does not belong to this browser. Open the link again.')
