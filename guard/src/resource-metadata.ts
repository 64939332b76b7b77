import type { RefusalBody, Refused } from './decision.ts'
import { type GuardSettings, isSecure } from './options.ts'
import { proofAlgorithms } from './verification-key.ts'

/** OAuth 2.0 Protected Resource Metadata (RFC 9728 §2): where tokens for this service come from. */
export interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly string[]
  /** Only where tokens that are bound to a key are taken. */
  readonly dpop_signing_alg_values_supported?: readonly string[]
}

/** The whole answer at the address of the metadata. It has the form of a refusal, and is sent like one. */
export interface MetadataAnswer {
  readonly allowed: false
  readonly status: 200
  readonly reason: 'resource_metadata'
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Code that reads the error of whatever is not allowed finds none. */
  readonly body: ResourceMetadata & Partial<Record<keyof RefusalBody, undefined>>
}

export interface PublishedMetadata {
  readonly url: string
  readonly answer: MetadataAnswer
  /** Whether a request asks for the metadata. `target`: path and query, as sent. */
  isAsked(method: string, target: string): boolean
  /** A 401 that says where the metadata is (RFC 9728 §5.1), and what to ask for (RFC 6750 §3); other refusals as they are. */
  challenge(refused: Refused): Refused
}

/** The scopes that Tessera needs: openid for a sign-in, service.api for an audience that is not the issuer. */
const scopes = Object.freeze(['openid', 'service.api'])

const wellKnown = '/.well-known/oauth-protected-resource'

/**
 * The metadata of the service with this audience, which is then the address under which clients know the service.
 * @throws TypeError when it is none.
 */
export function publishedMetadata({ issuer, audience, dpop }: GuardSettings): PublishedMetadata {
  const resource = URL.canParse(audience) ? new URL(audience) : undefined
  // RFC 9728 §1.2: https, without a fragment.
  if (resource === undefined || !isSecure(resource) || audience.includes('#')) {
    throw new TypeError(
      'Guard option resourceMetadata: the audience must be an https address, or http on loopback',
    )
  }
  // §3.1: the well-known path goes between host and path; a slash that only ends the host is dropped.
  const target = `${wellKnown}${resource.pathname === '/' ? '' : resource.pathname}${resource.search}`
  const url = `${resource.origin}${target}`
  return {
    url,
    answer: answerOf(issuer, audience, dpop && proofAlgorithms),
    isAsked: (method, asked) => asked === target && (method === 'GET' || method === 'HEAD'),
    challenge(refused) {
      const told = refused.headers['www-authenticate']
      if (refused.status !== 401 || told === undefined) return refused
      const separator = told === 'Bearer' ? ' ' : ', '
      const headers = {
        ...refused.headers,
        'www-authenticate': `${told}${separator}resource_metadata="${url}", scope="${scopes.join(' ')}"`,
      }
      return Object.freeze({ ...refused, headers: Object.freeze(headers) })
    },
  }
}

function answerOf(
  issuer: string,
  audience: string,
  proofAlgs: readonly string[] | undefined,
): MetadataAnswer {
  const body: ResourceMetadata = Object.freeze({
    // §3.3: identical to what the address was made from.
    resource: audience,
    authorization_servers: Object.freeze([issuer]),
    scopes_supported: scopes,
    bearer_methods_supported: Object.freeze(['header']),
    ...(proofAlgs !== undefined && { dpop_signing_alg_values_supported: proofAlgs }),
  })
  const headers = Object.freeze({
    'content-type': 'application/json',
    'cache-control': 'public, max-age=3600',
    // Clients in browsers read it before they have anything to prove.
    'access-control-allow-origin': '*',
  })
  return Object.freeze({ allowed: false, status: 200, reason: 'resource_metadata', headers, body })
}
