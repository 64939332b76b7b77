import { decrypt, encrypt } from '../keys/encryption.ts'
import { hash } from 'node:crypto'
import { newSecret } from '../protocol/identifier.ts'
import { callbackPath } from '../protocol/proxied.ts'
import { withParameters } from '../protocol/redirect-uri.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { cookieIn, setCookie, wayCookies } from './cookies.ts'

/** Where a visitor goes on after a sign-in. It is kept in their browser alone, and nobody else can read or make it. */
export interface WayBack {
  state: string
  verifier: string
  /** Path and query, at the origin that it is kept for. */
  target: string
  /** Epoch milliseconds. */
  begun: number
}

const purpose = 'tessera ways back'
const life = 600_000
/** Servers read 8 KiB of a header, in which five ways have to fit beside the application's own cookies. */
const longestTarget = 1500
const mostCookies = 3500

interface SignInPlace {
  client: Client
  origin: string
}

/** Bound to the origin and the application. */
const aboutOf = ({ client, origin }: SignInPlace) => `${origin} ${client.client_id}`

function open(service: Service, place: SignInPlace, cookie: string | undefined): WayBack | undefined {
  const { secret, previousSecret } = service.settings
  const secrets = [secret, previousSecret]
  const text = cookie === undefined ? undefined : decrypt(cookie, aboutOf(place), { purpose, secrets })
  const way = text === undefined ? undefined : (JSON.parse(text) as WayBack)
  return way === undefined || way.begun + life <= service.now() ? undefined : way
}

/** Begins a sign-in to the application. Yields the address to go to, and the one cookie that it needs. */
export function beginSignIn(
  service: Service,
  place: SignInPlace,
  { target, cookies }: { target: string; cookies: string | undefined },
): { location: string; cookie: string } {
  const { client, origin } = place
  const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
  const [path = '/'] = target.split('?')
  const sent = cookies?.length ?? 0
  const fits = (one: string) => JSON.stringify(one).length <= Math.min(longestTarget, mostCookies - sent)
  const kept = [target, path].find(fits) ?? '/'
  const way: WayBack = { state, verifier, target: kept, begun: service.now() }
  const text = encrypt(JSON.stringify(way), aboutOf(place), { purpose, secret: service.settings.secret })
  const location = withParameters(`${service.issuer}/oauth2/authorize`, {
    client_id: client.client_id,
    redirect_uri: `${origin}${callbackPath}`,
    response_type: 'code',
    scope: client.scopes.join(' '),
    state,
    nonce,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })
  return { location, cookie: setCookie(freeName(service, place, cookies), text, life / 1000) }
}

/** The name of a cookie that is free, or else of the oldest way. */
function freeName(service: Service, place: SignInPlace, cookies: string | undefined): string {
  const begun = (name: string) => open(service, place, cookieIn(cookies, name))?.begun ?? 0
  const [first = ''] = wayCookies.toSorted((a, b) => begun(a) - begun(b))
  return first
}

/** The way back that this state belongs to, and its cookie. Undefined: it was begun in another browser, or is over. */
export function findWayBack(
  service: Service,
  place: SignInPlace,
  { state, cookies }: { state: string | undefined; cookies: string | undefined },
): { way: WayBack; name: string } | undefined {
  for (const name of wayCookies) {
    const way = open(service, place, cookieIn(cookies, name))
    if (way !== undefined && way.state === state) return { way, name }
  }
  return undefined
}
