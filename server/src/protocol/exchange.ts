/** What a client says of the exchange of tokens (RFC 8693, decisions 31): as whom it acts, and where. */
import { tokenExchangeGrant } from './grant-types.ts'
import { iamService, serviceOf } from './permission.ts'

/** Where a service may act for the people who call it, and the most that it may do there. */
export interface ExchangeRule {
  services: readonly string[]
  permissions: readonly string[]
}

/** RFC 8693 §3 */
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

/** So many services may stand in one chain. */
export const longestChain = 3

/** The fields of a client that the exchange is about. */
export interface ExchangeFields {
  type?: string | undefined
  /** `document`: it says itself what it is, and may come to prove nothing. */
  metadata?: string | null | undefined
  grant_types?: readonly (string | undefined)[] | undefined
  acts_as?: string | null | undefined
  exchange?:
    | { services?: readonly (string | undefined)[]; permissions?: readonly (string | undefined)[] }
    | null
    | undefined
}

interface Wrong {
  field: 'grant_types' | 'acts_as' | 'exchange'
  reason: string
}

/**
 * What is wrong with them: the grant and both fields come together, of a client that proves who it is. An exchange for
 * `iam` would carry all that a person administers, and one for the service itself would renew what it was called with.
 */
export function exchangeProblems({
  type = 'public',
  metadata,
  grant_types,
  acts_as,
  exchange,
}: ExchangeFields): Wrong[] {
  const uses = grant_types?.includes(tokenExchangeGrant) === true
  const said = [uses && 'grant_types', acts_as && 'acts_as', exchange && 'exchange'] as const
  const named = said.filter((one): one is Wrong['field'] => typeof one === 'string' && one !== '')
  if (named.length === 0) return []
  const isDocument = metadata === 'document'
  if (isDocument || (type !== 'web' && type !== 'machine'))
    return named.map((field) => ({
      field,
      reason: `a ${isDocument ? 'document' : type} client exchanges no tokens; that is for clients that prove who they are`,
    }))
  const problems: Wrong[] = []
  const report = (field: Wrong['field'], reason: string) => problems.push({ field, reason })
  if (!uses) report('grant_types', `acts_as and exchange need the grant type ${tokenExchangeGrant}`)
  if (!acts_as)
    report('acts_as', `the grant type ${tokenExchangeGrant} needs acts_as: the service that the client is`)
  if (!exchange)
    report(
      'exchange',
      `the grant type ${tokenExchangeGrant} needs exchange: where it may act, and what it may do`,
    )
  if (acts_as === iamService) report('acts_as', 'no client is the administration API')
  const { services = [], permissions = [] } = exchange ?? {}
  if (services.includes(iamService))
    report('exchange', 'nobody acts for a person at the administration API: iam is no service of an exchange')
  if (acts_as && services.includes(acts_as))
    report('exchange', `${acts_as} is the service that the client is; an exchange is for others`)
  for (const one of permissions)
    if (one !== undefined && !services.includes(serviceOf(one)))
      report('exchange', `the permission ${JSON.stringify(one)} is of no service that the exchange lists`)
  return problems
}

export const exchangeIn = (column: string | null): ExchangeRule =>
  column === null ? { services: [], permissions: [] } : (JSON.parse(column) as ExchangeRule)

/** The columns of a client that say it. */
export interface ExchangeColumns {
  acts_as: string | null
  exchange: string | null
  /** A JSON list. */
  grant_types: string
}

/**
 * The columns without services and permissions that vanish. A list that is empty then stays one; whoever was a service
 * that is gone exchanges nothing any more, also where another of its code is made.
 */
export function exchangeWithout<C extends ExchangeColumns>(
  { acts_as, exchange, grant_types }: C,
  gone: { service(code: string): boolean; permission(code: string): boolean },
): ExchangeColumns {
  if (acts_as !== null && gone.service(acts_as)) {
    const others = (JSON.parse(grant_types) as string[]).filter((one) => one !== tokenExchangeGrant)
    return { acts_as: null, exchange: null, grant_types: JSON.stringify(others) }
  }
  if (exchange === null) return { acts_as, exchange, grant_types }
  const { services, permissions } = exchangeIn(exchange)
  const left: ExchangeRule = {
    services: services.filter((one) => !gone.service(one)),
    permissions: permissions.filter((one) => !gone.permission(one)),
  }
  return { acts_as, exchange: JSON.stringify(left), grant_types }
}
