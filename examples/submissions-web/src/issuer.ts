/**
 * The issuer as openid-client knows it: its discovery document and our registration with it.
 * Discovery waits for the first need and is tried again after a failure, so this application may start first.
 */
import {
  allowInsecureRequests,
  Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ServerMetadata,
} from 'openid-client'
import { issuerUnavailable } from './problems.ts'
import { isLoopbackHttp } from './settings.ts'

const TIMEOUT_SECONDS = 10
/** The interface's own address for refreshing; the discovery document has no field for it. */
const REFRESH_PATH = '/v1/iam/token/refresh'

export interface Issuer {
  readonly url: string
  /** For the authorization request, the code exchange, userinfo and logout. */
  configuration(): Promise<Configuration>
  /** The same issuer, whose token endpoint is the refresh address. */
  refreshConfiguration(): Promise<Configuration>
}

export function issuerAt(issuer: string, clientId: string): Issuer {
  const url = new URL(issuer)
  const execute = [
    // openid-client trusts an ID token that came straight from a TLS token endpoint without its signature.
    // The interface asks for the signature to be verified always, and on http://localhost it has to be.
    enableNonRepudiationChecks,
    ...(isLoopbackHttp(url) ? [allowInsecureRequests] : []),
  ]

  // A public client has no secret: None() sends the client_id alone.
  const discover = () => discovery(url, clientId, undefined, None(), { execute, timeout: TIMEOUT_SECONDS })

  let pending: Promise<Configuration> | undefined
  const configuration = () => {
    pending ??= discover().catch((error: unknown) => {
      pending = undefined
      throw issuerUnavailable(issuer, error)
    })
    return pending
  }

  let refreshing: Configuration | undefined
  const refreshConfiguration = async () => {
    const { supportsPKCE: _helper, ...metadata } = (await configuration()).serverMetadata()
    refreshing ??= atRefreshAddress(metadata, clientId, execute)
    return refreshing
  }

  return { url: issuer, configuration, refreshConfiguration }
}

/**
 * Refreshing through openid-client rather than by a bare fetch has one reason: the answer holds a new ID token,
 * and this way it is validated exactly like the first one.
 */
function atRefreshAddress(
  metadata: ServerMetadata,
  clientId: string,
  execute: readonly ((configuration: Configuration) => void)[],
): Configuration {
  const token_endpoint = metadata.issuer.replace(/\/$/, '') + REFRESH_PATH
  const configuration = new Configuration({ ...metadata, token_endpoint }, clientId, undefined, None())
  configuration.timeout = TIMEOUT_SECONDS
  for (const extend of execute) extend(configuration)
  return configuration
}
