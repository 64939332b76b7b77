import { exchangeIn } from '../protocol/exchange.ts'
import { tokenExchangeGrant } from '../protocol/grant-types.ts'
import { serviceOf } from '../protocol/permission.ts'
import { textList } from '../store/clients.ts'
import { clientActiveLinks } from './explain-client.ts'
import { type ChainLink, link } from './explain.ts'
import type { ClientFacts } from './holders.ts'

/** Whether a person's token of the client would carry the permission by exchange alone. */
export const actsFor = (client: ClientFacts, permission: string): boolean =>
  client.acts_as !== null &&
  (client.type === 'machine' || !textList(client.services).includes(serviceOf(permission)))

/** What the client gets for a person who calls the service that it is (decisions 31). */
export function exchangeLinks(client: ClientFacts, permission: string): ChainLink[] {
  const { client_id: id, acts_as: called, exchange, grant_types } = client
  const { services, permissions } = exchangeIn(exchange)
  const target = serviceOf(permission)
  const acting = `The client ${id} acting for whoever calls ${called}`
  return [
    ...clientActiveLinks(client),
    link('client_grant', textList(grant_types).includes(tokenExchangeGrant), {
      yes: `${acting} may use ${tokenExchangeGrant}.`,
      no: `The client ${id} may not use ${tokenExchangeGrant}.`,
      cure: `Give the client ${id} the grant type ${tokenExchangeGrant}.`,
    }),
    link('exchange_service', services.includes(target), {
      yes: `${acting} may call ${target}, with a token that the person called ${called} with, and within what they allowed.`,
      no: `${acting} may not call ${target}.`,
      cure: `Add the service ${target} to exchange of the client ${id}.`,
    }),
    link('exchange_allows_permission', permissions.includes(permission), {
      yes: `${acting} may do ${permission} there.`,
      no: `${acting} may not do ${permission}.`,
      cure: `Add ${permission} to exchange of the client ${id}.`,
    }),
  ]
}
