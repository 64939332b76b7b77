import type { FastifyRequest } from 'fastify'
import type { SentAnswer } from '../identity/factors/assertion.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Parameters } from '../protocol/parameters.ts'

/** The path from which pages of a sign-in get the options of passkeys and security keys. */
export const passkeyOptionsPath = '/sign-in/passkey'

/** What the script put into a form; undefined: a button of the form sent it. */
export function sentAnswer(
  request: FastifyRequest,
  form: Parameters,
  holder: string,
): SentAnswer | undefined {
  if (form.optional('choice') !== 'credential') return undefined
  return {
    challengeId: form.optional('challenge_id') ?? '',
    credential: form.optional('credential', 16_384) ?? '',
    browser: holder,
    address: request.ip,
    requestId: request.id,
  }
}

export function noPasskeys(): never {
  throw new ProtocolError('not_found', 'There are no passkeys where the issuer is an IP address.')
}
