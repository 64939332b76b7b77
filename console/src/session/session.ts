/**
 * Who is signed in. The access token stands in a variable of this file and nowhere else; it is renewed when it is needed,
 * by an authorization request without a page, so that a session that is idle ends.
 */
import * as oauth from 'oauth4webapi'

const origin = location.origin
const redirectUri = `${origin}/console/callback`
const client: oauth.Client = { client_id: 'tessera:console', token_endpoint_auth_method: 'none' }
const server: oauth.AuthorizationServer = {
  issuer: origin,
  authorization_endpoint: `${origin}/oauth2/authorize`,
  token_endpoint: `${origin}/oauth2/token`,
}
/** Of localhost alone: the service refuses to start at another address without https. */
const onHttp = { [oauth.allowInsecureRequests]: location.protocol === 'http:' }

interface Tokens {
  access: string
  /** Epoch milliseconds. */
  until: number
  id: string
}

let tokens: Tokens | undefined

/** What a sign-in keeps until the browser is back: no token, and gone once it is read. */
interface Begun {
  state: string
  nonce: string
  verifier: string
  back: string
}

const begunKey = 'tessera-console-sign-in'
const profileKey = 'tessera-console-profile'

/** Why nobody is signed in without a page, in the words of the protocol. */
export class SignInNeeded extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

const profile = {
  read: () => sessionStorage.getItem(profileKey) ?? localStorage.getItem(profileKey),
  keep: (uuid: string) => {
    sessionStorage.setItem(profileKey, uuid)
    localStorage.setItem(profileKey, uuid)
  },
  forget: () => {
    sessionStorage.removeItem(profileKey)
    localStorage.removeItem(profileKey)
  },
}

async function asked(extra: Record<string, string>, back = ''): Promise<{ url: string; begun: Begun }> {
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
  return { url: `${origin}/oauth2/authorize?${parameters.toString()}`, begun }
}

async function exchange(answer: URL, { state, nonce, verifier }: Begun): Promise<void> {
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
  const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  const claims = oauth.getValidatedIdTokenClaims(result)
  tokens = {
    access: result.access_token,
    until: Date.now() + (result.expires_in ?? 60) * 1000,
    id: result.id_token ?? '',
  }
  if (typeof claims?.['profile_uuid'] === 'string') profile.keep(claims['profile_uuid'])
}

/** The hint keeps a tab to its person: without it, it would become whoever signed in elsewhere since. */
async function silently(): Promise<void> {
  const uuid = profile.read()
  const { url, begun } = await asked({
    prompt: 'none',
    ...(tokens !== undefined && { id_token_hint: tokens.id }),
    ...(uuid !== null && { profile_uuid: uuid }),
  })
  // Same origin, so the address that the redirect ended at can be read.
  const answer = await fetch(url)
  if (!answer.ok) throw new SignInNeeded(String(answer.status))
  await exchange(new URL(answer.url), begun)
}

/** Leaves for the pages of the service; comes back to `back`. */
export async function signIn(back = currentAddress(), extra: Record<string, string> = {}): Promise<never> {
  const { url, begun } = await asked(extra, back)
  sessionStorage.setItem(begunKey, JSON.stringify(begun))
  location.assign(url)
  return new Promise(() => {})
}

const currentAddress = () => location.pathname + location.search

/** The pages ask for a profile again, where there are several. */
export function switchProfile(): Promise<never> {
  profile.forget()
  return signIn('/console/')
}

/** At the start: takes what the pages sent back, or signs in without them; leaves for them where neither works. */
export async function begin(): Promise<void> {
  const kept = sessionStorage.getItem(begunKey)
  sessionStorage.removeItem(begunKey)
  if (location.pathname === '/console/callback') {
    const begun = kept === null ? undefined : (JSON.parse(kept) as Begun)
    const answer = new URL(location.href)
    history.replaceState(null, '', begun?.back ?? '/console/')
    if (begun !== undefined) {
      await exchange(answer, begun)
      others.postMessage('signed in')
      return
    }
  }
  try {
    await silently()
  } catch (error) {
    if (!(error instanceof SignInNeeded)) throw error
    if (error.code === 'invalid_request') profile.forget()
    await signIn()
  }
}

const others = new BroadcastChannel('tessera-console')
let renewal: Promise<void> | undefined
let ended = false
const listeners = new Set<() => void>()

/** Whether the sign-in ended while something was open; for `useSyncExternalStore`. */
export const hasEnded = () => ended
export function whenEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
function tellEnded(now: boolean): void {
  ended = now
  for (const listener of listeners) listener()
}

/** A token that counts. Waits for a new sign-in, in another tab, where this one ended: nothing typed is lost. */
export async function accessToken(refused?: string): Promise<string> {
  while (tokens === undefined || tokens.until < Date.now() + 5000 || tokens.access === refused) {
    renewal ??= renewed().finally(() => {
      renewal = undefined
    })
    await renewal
  }
  return tokens.access
}

async function renewed(): Promise<void> {
  for (;;) {
    try {
      await silently()
      return tellEnded(false)
    } catch (error) {
      if (!(error instanceof SignInNeeded)) throw error
      tellEnded(true)
      await signedInElsewhere()
    }
  }
}

/** Another tab tells it; whoever comes back to this one may have done it in between. */
const signedInElsewhere = () =>
  new Promise<void>((resolve) => {
    const heard = () => {
      others.removeEventListener('message', heard)
      removeEventListener('focus', heard)
      resolve()
    }
    others.addEventListener('message', heard)
    addEventListener('focus', heard)
  })

/** Here, in the other tabs, and at the service. */
export async function signOut(): Promise<void> {
  const { access = '', id = '' } = tokens ?? {}
  tokens = undefined
  profile.forget()
  others.postMessage('signed out')
  await oauth
    .revocationRequest(
      { ...server, revocation_endpoint: `${origin}/oauth2/revoke` },
      client,
      oauth.None(),
      access,
      onHttp,
    )
    .catch(() => undefined)
  location.assign(`/oauth2/logout?${new URLSearchParams({ id_token_hint: id }).toString()}`)
}
others.addEventListener('message', ({ data }) => {
  if (data !== 'signed out') return
  tokens = undefined
  location.assign('/')
})
