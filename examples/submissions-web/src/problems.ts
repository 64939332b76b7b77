/**
 * What can go wrong, in words for the person in front of the page.
 * Errors of openid-client are translated here and nowhere else.
 */
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'

interface ProblemParts {
  readonly status: number
  readonly title: string
  /** The identifier on the wire, e.g. `access_denied`. */
  readonly code?: string | undefined
  readonly detail?: string | undefined
  readonly advice: string
  /** The label of a button that leads to the sign-in, where that helps. */
  readonly signIn?: string | undefined
}

export class Problem extends Error {
  readonly parts: ProblemParts

  constructor(parts: ProblemParts, cause?: unknown) {
    super(parts.title, { cause })
    this.parts = parts
  }
}

export function issuerUnavailable(issuer: string, cause: unknown): Problem {
  return new Problem(
    {
      status: 503,
      title: 'The identity provider does not answer',
      detail: `${issuer}: ${reason(cause)}`,
      signIn: 'Try again',
      advice:
        'This application asks it again with your next request. On a development machine, start it with “npm start” in the root of the repository; if it runs elsewhere, check TESSERA_ISSUER.',
    },
    cause,
  )
}

/** What the wire says about an authorization error, and what a person can do about it. */
const ADVICE: Readonly<Record<string, string>> = {
  access_denied:
    'The sign-in was refused: consent was declined, or there is no profile under which you may work. Ask your administrator for one, or sign in as somebody else.',
  invalid_scope: 'This client asked for a scope that it is not registered for: compare its registration.',
  invalid_grant: 'A code is good for one exchange within 60 seconds. Sign in again.',
  invalid_client:
    'The issuer does not know this client, or it is inactive: compare CLIENT_ID with the registration.',
}

export function explain(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof AuthorizationResponseError) {
    return refused(400, 'The sign-in was not completed', error.error, error.error_description, error)
  }
  if (error instanceof ResponseBodyError) {
    return refused(
      502,
      'The identity provider refused the request',
      error.error,
      error.error_description,
      error,
    )
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    const { error: code, error_description: detail } = error.cause[0]?.parameters ?? {}
    return refused(502, `The identity provider answered ${error.status}`, code, detail, error)
  }
  if (error instanceof ClientError || error instanceof TypeError) {
    const advice =
      'Nothing of that answer was used. Sign in again; if it happens again, tell whoever runs this application.'
    const title = 'The identity provider’s answer was not accepted'
    return new Problem({ status: 502, title, detail: reason(error), advice, signIn: 'Sign in again' }, error)
  }
  const advice = 'That is a fault of this application. Its log holds the details.'
  return new Problem({ status: 500, title: 'Something went wrong here', advice }, error)
}

function refused(status: number, title: string, code = 'unknown', detail?: string, cause?: unknown): Problem {
  const advice = ADVICE[code] ?? 'You can try again.'
  return new Problem({ status, title, code, detail, advice, signIn: 'Sign in again' }, cause)
}

/** The innermost message says why ("connect ECONNREFUSED …"); the outer ones only that ("fetch failed"). */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : []
  const inner = first ?? error.cause
  return inner instanceof Error ? reason(inner) : error.message
}
