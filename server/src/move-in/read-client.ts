import { hashSecret } from '../protocol/identifier.ts'
import { answeredUriProblem, redirectUriProblem } from '../protocol/redirect-uri.ts'
import { clientIdProblem, machineIdProblem, originProblem, textProblem } from '../protocol/values.ts'
import { decide, type Remark, type ToldClient } from './told.ts'

/** An application, as far as its system tells of it. */
export interface ReadClient {
  clientId: string
  name?: string | undefined
  /** `public` and `native` have no secret, `web` has one, and `machine` is nobody's browser. */
  kind: 'public' | 'native' | 'web' | 'machine'
  active?: boolean | undefined
  redirects?: readonly string[] | undefined
  afterLogout?: readonly string[] | undefined
  origins?: readonly string[] | undefined
  /** OAuth's grant types; left out: the code flow. */
  grants?: readonly string[] | undefined
  /** Undefined: the export holds none. */
  secret?: string | undefined
  /** How it proves itself, as OAuth names it. */
  method?: string | undefined
  keys?: { jwks: unknown } | { jwks_uri: string } | undefined
  /** Whether it asks nobody for consent. */
  firstParty: boolean
  home?: string | undefined
  logo?: string | undefined
  backchannelLogout?: string | undefined
}

type ToldOfClient = ToldClient | Remark

/** The grants of people that are here. */
const peoplesGrants = new Set([
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
])
const machinesGrants = new Set(['client_credentials'])

/** What becomes of an application: a client to declare, with what is to be decided of it, or remarks alone. */
export function* clientOf(read: ReadClient): Generator<ToldOfClient> {
  const { clientId, kind, grants = ['authorization_code'] } = read
  if (clientIdProblem(clientId) !== undefined) {
    yield decide(
      'A client_id has characters that none here may have: the application needs another.',
      clientId,
    )
    return
  }
  const taken = kind === 'machine' ? machinesGrants : peoplesGrants
  for (const one of grants)
    if (!taken.has(one))
      yield decide(
        'A client may use a grant that it has not here: people sign in by the code flow with PKCE, and machines are clients of their own.',
        `${clientId}: ${one}`,
      )
  if (kind === 'machine') yield* ofMachine(read)
  else yield* ofPeople(read)
  if (kind === 'web' || kind === 'machine') yield* proofRemarks(read)
}

function* ofMachine(read: ReadClient): Generator<ToldOfClient> {
  const { clientId } = read
  const isTaken = machineIdProblem(clientId) !== undefined
  const client_id = isTaken ? `machine-${clientId.replaceAll(/[^\w.~-]+/g, '-')}`.slice(0, 100) : clientId
  if (isTaken)
    yield decide(
      'A machine has another client_id: that of people is its own, and a machine has no UUID.',
      `${clientId}: ${client_id}`,
    )
  yield {
    is: 'client',
    declares: {
      client_id,
      type: 'machine',
      client_name: nameOf(read),
      ...(read.active === false && { active: false }),
      ...proofOf(read),
    },
    wildcards: [],
  }
}

function* ofPeople(read: ReadClient): Generator<ToldOfClient> {
  const { clientId, kind, redirects = [], grants = ['authorization_code'] } = read
  const exact = redirects.filter((one) => !one.includes('*'))
  const isNative =
    kind === 'native' ||
    (kind === 'public' &&
      exact.some(
        (one) =>
          redirectUriProblem(one, 'web') !== undefined && redirectUriProblem(one, 'native') === undefined,
      ))
  const applicationType = isNative ? 'native' : 'web'
  const fits = (one: string) => answeredUriProblem(one, 'redirect_uris', applicationType) === undefined
  const afterLogout = (read.afterLogout ?? []).filter(
    (one) => answeredUriProblem(one, 'post_logout_redirect_uris', applicationType) === undefined,
  )
  const asks = grants.filter((one) => peoplesGrants.has(one))
  yield {
    is: 'client',
    declares: {
      client_id: clientId,
      type: kind === 'web' ? 'web' : 'public',
      client_name: nameOf(read),
      ...(isNative && { application_type: 'native' }),
      ...(read.active === false && { active: false }),
      ...(read.firstParty && { first_party: true }),
      redirect_uris: [...new Set(exact.filter(fits))],
      ...(afterLogout.length > 0 && { post_logout_redirect_uris: [...new Set(afterLogout)] }),
      scope: `openid profile email${asks.includes('refresh_token') ? ' offline_access' : ''} service.api`,
      grant_types: asks.length === 0 ? ['authorization_code'] : asks,
      ...(kind !== 'web' && { require_nonce: false }),
      ...originsOf(read),
      ...addressesOf(read),
      ...(kind === 'web' ? proofOf(read) : {}),
    },
    wildcards: [...new Set(redirects.filter((one) => one.includes('*')))],
    // Other systems ask for neither PKCE nor a nonce.
    sends: kind === 'web' ? 'nonce' : undefined,
  }
  for (const one of exact.filter((uri) => !fits(uri)))
    yield decide(
      'A redirect URI is not taken here, such as http or with a fragment: register another.',
      `${clientId}: ${one}`,
    )
}

const nameOf = ({ name = '', clientId }: ReadClient): string =>
  textProblem(200)(name) === undefined ? name : clientId

function originsOf({ origins = [], kind }: ReadClient) {
  const all = origins.map((one) => one.replace(/\/$/, '')).filter((one) => originProblem(one) === undefined)
  return kind !== 'web' || all.length > 0 ? { allowed_origins: [...new Set(all)] } : {}
}

function addressesOf({ home, logo, backchannelLogout }: ReadClient) {
  const isAddress = (uri: string | undefined) =>
    uri !== undefined && redirectUriProblem(uri, 'web') === undefined
  return {
    ...(isAddress(home) && { client_uri: home }),
    ...(isAddress(logo) && { logo_uri: logo }),
    ...(isAddress(backchannelLogout) && { backchannel_logout_uri: backchannelLogout }),
  }
}

const proofOf = ({ method, keys, secret }: ReadClient) =>
  method === 'private_key_jwt' && keys !== undefined
    ? { token_endpoint_auth_method: 'private_key_jwt', assertion_audience: 'token_endpoint', ...keys }
    : secret === undefined
      ? {}
      : { client_secret_hash: `sha256:${hashSecret(secret)}` }

function* proofRemarks({ clientId, method, keys, secret }: ReadClient): Generator<Remark> {
  if (method === 'private_key_jwt') {
    if (keys === undefined)
      yield decide(
        'A client proves itself by keys that the export does not hold: register its jwks_uri or jwks.',
        clientId,
      )
    return
  }
  if (method === 'client_secret_jwt')
    yield decide(
      'A client proves itself by client_secret_jwt, for which the secret would have to be kept readable: it sends its secret by client_secret_basic, or has a key for private_key_jwt.',
      clientId,
    )
  if (secret === undefined) yield decide('The export holds no secret of a client: give it another.', clientId)
  // 22 characters of base64url are 128 bits.
  else if (secret.length < 22)
    yield decide(
      'A client secret has less than 128 bits: let it be made anew when the application can take another.',
      clientId,
    )
}
