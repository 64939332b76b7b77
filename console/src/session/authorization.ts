/** The requests of a sign-in, as OAuth has them: what is sent, and what comes of the answer. It keeps nothing. */
import * as oauth from 'oauth4webapi'
import { issuer } from './issuer.ts'

export { oauth }

const redirectUri = `${issuer}/console/callback`
export const client: oauth.Client = { client_id: 'tessera:console', token_endpoint_auth_method: 'none' }
export const server: oauth.AuthorizationServer = {
  issuer,
  authorization_endpoint: `${issuer}/oauth2/authorize`,
  token_endpoint: `${issuer}/oauth2/token`,
  revocation_endpoint: `${issuer}/oauth2/revoke`,
}
/** localhost alone is on http: the service refuses to start elsewhere without https. */
export const onHttp = { [oauth.allowInsecureRequests]: location.protocol === 'http:' }

export interface Tokens {
  access: string
  /** Shortly before it expires, epoch milliseconds of this machine. */
  until: number
  id: string
  /** The uuid of the profile that they are for. */
  profile: string | undefined
}

/** What a sign-in keeps until the browser is back: no token, and gone once it is read. */
export interface Begun {
  state: string
  nonce: string
  verifier: string
  back: string
}

/** Why nobody is signed in without a page, in the words of the protocol. */
export class SignInNeeded extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** The service answers, but not now. */
export class Away extends Error {
  /** Seconds. */
  readonly retryAfter: number
  constructor({ status, headers }: Response) {
    super(String(status))
    // A date is allowed too (RFC 9110 §10.2.3), which only others than the service send.
    this.retryAfter = Number(headers.get('retry-after')) || 1
  }
}

export function orAway(answer: Response): Response {
  if (answer.status === 429 || answer.status >= 500) throw new Away(answer)
  return answer
}

export async function requestFor(
  extra: Record<string, string>,
  back = '',
): Promise<{ url: string; begun: Begun }> {
  const begun = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    back,
  }
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'openid profile service.api',
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
    ...extra,
  })
  return { url: `${issuer}/oauth2/authorize?${parameters.toString()}`, begun }
}

export async function exchange(answer: URL, { state, nonce, verifier }: Begun): Promise<Tokens> {
  let parameters: URLSearchParams
  try {
    parameters = oauth.validateAuthResponse(server, client, answer, state)
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw new SignInNeeded(error.error)
    throw error
  }
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    onHttp,
  )
  const result = await oauth.processAuthorizationCodeResponse(
    server,
    byItsClock(response),
    orAway(response),
    {
      expectedNonce: nonce,
      requireIdToken: true,
    },
  )
  const profile = oauth.getValidatedIdTokenClaims(result)?.['profile_uuid']
  const life = (result.expires_in ?? 60) * 1000
  return {
    access: result.access_token,
    until: Date.now() + life - Math.min(5000, life / 2),
    id: result.id_token ?? '',
    profile: typeof profile === 'string' ? profile : undefined,
  }
}

/** The clock of this machine may be hours wrong, so the times of an ID token are judged by the one of the service. */
function byItsClock({ headers }: Response): oauth.Client {
  const skew = Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 1000)
  return Number.isNaN(skew) ? client : { ...client, [oauth.clockSkew]: skew }
}
