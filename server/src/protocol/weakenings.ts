import { loosened, type ProxiedRoutes } from './proxied-routes.ts'

/** What a client need not send with an authorization request, though the contract asks for it. */
export interface Requirements {
  require_nonce?: boolean | undefined
  require_state?: boolean | undefined
  require_pkce?: boolean | undefined
}

/** A field by which a client, or the sign-in through it, is weaker than by default or than before, and what is lost. */
export interface Weakening {
  field: keyof Requirements | keyof Opened | keyof Proved
  detail: string
}

const lost: Record<keyof Requirements, string> = {
  require_nonce:
    'Without a nonce nothing ties an ID token to the browser that began the sign-in; the code_verifier alone keeps a stolen code from being put into another sign-in.',
  require_state:
    'Without a state the application can not tell a callback that it asked for from one that another site sent; PKCE alone keeps a visitor from being signed in as somebody else.',
  require_pkce:
    'Without PKCE a stolen code can be put into another sign-in; only a nonce that the application compares notices it, after the code was exchanged.',
}

/** What opens an application behind a proxy. */
interface Opened {
  routes?: ProxiedRoutes | null | undefined
  headers?: readonly string[] | undefined
  remote_user?: string | undefined
}

/** Fields that prove a request or an answer to be of the client alone. */
interface Proved {
  require_pushed_authorization_requests?: boolean | undefined
  dpop_bound_access_tokens?: boolean | undefined
  assertion_audience?: string | undefined
  token_endpoint_auth_signing_alg?: string | null | undefined
  redirect_hosts?: readonly string[] | undefined
}

type Compared = Requirements & Opened & Proved

/** What a change of a client weakens: of one behind a proxy the routes that demand less, and each header that is new. */
export function weakenedBy(before: Compared, after: Compared): Weakening[] {
  const routes = after.routes === undefined ? [] : loosened(before.routes ?? {}, after.routes ?? {})
  const told = (after.headers ?? []).filter((one) => before.headers?.includes(one) !== true)
  return [
    ...weakeningsOf(after).filter(({ field }) => before[field as keyof Requirements] !== false),
    ...lessProved(before, after),
    ...routes.map(({ key, had, has }) => ({
      field: 'routes' as const,
      detail: `${key} demands ${has}; before it was ${had}.`,
    })),
    ...told.map((name) => ({ field: 'headers' as const, detail: `${name} is sent from then on.` })),
    ...(tellsAddress(after) && !tellsAddress(before)
      ? [{ field: 'remote_user' as const, detail: 'Remote-User is the address from then on.' }]
      : []),
  ]
}

function lessProved(before: Proved, after: Proved): Weakening[] {
  const { assertion_audience: had, token_endpoint_auth_signing_alg: alg = null } = before
  const weaker = (field: keyof Proved, isSo: boolean, detail: string) => (isSo ? [{ field, detail }] : [])
  const takenBack = (field: 'require_pushed_authorization_requests' | 'dpop_bound_access_tokens') =>
    before[field] === true && after[field] === false
  return [
    ...weaker(
      'require_pushed_authorization_requests',
      takenBack('require_pushed_authorization_requests'),
      'Anybody can begin an authorization request of it from then on, and change one on its way.',
    ),
    ...weaker(
      'dpop_bound_access_tokens',
      takenBack('dpop_bound_access_tokens'),
      'Without a proof it gets tokens that count for whoever has them from then on.',
    ),
    ...weaker(
      'assertion_audience',
      after.assertion_audience === 'token_endpoint' && had !== 'token_endpoint',
      'An assertion that it made for another server, which calls our token endpoint its own, counts here from then on.',
    ),
    ...weaker(
      'token_endpoint_auth_signing_alg',
      alg !== null && after.token_endpoint_auth_signing_alg === null,
      `Its assertions may be signed by any algorithm that fits a key from then on, not by ${alg} alone.`,
    ),
    ...(after.redirect_hosts ?? [])
      .filter((host) => before.redirect_hosts?.includes(host) !== true)
      .flatMap((host) =>
        weaker('redirect_hosts', true, `Its document may send people back to ${host} from then on.`),
      ),
  ]
}

const tellsAddress = ({ remote_user: user }: Opened): boolean => user === 'email'

const fields = Object.keys(lost) as (keyof Requirements)[]

export const weakeningsOf = (client: Requirements): (Weakening & { field: keyof Requirements })[] =>
  fields.filter((field) => client[field] === false).map((field) => ({ field, detail: lost[field] }))
