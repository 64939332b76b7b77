import type { ClientRow } from '../database/schema.ts'
import { type ExchangeRule, exchangeIn } from '../protocol/exchange.ts'
import { tokenExchangeGrant } from '../protocol/grant-types.ts'
import type { Reading } from './in-transaction.ts'
import { allServices, type ClientService } from './services.ts'
import { usableClients } from './usable.ts'

/** The service that a client is for the people who call it, and what it may do elsewhere for them (decisions 31). */
export interface Exchanging extends ExchangeRule {
  as: ClientService
  /** The services with their audiences. */
  declaredServices: readonly ClientService[]
}

type ExchangeRow = Pick<ClientRow, 'grant_types' | 'acts_as' | 'exchange'>

export function exchangingOf(
  { grant_types, acts_as, exchange }: ExchangeRow,
  declared: readonly ClientService[],
): Exchanging | undefined {
  const as = acts_as === null ? undefined : declared.find(({ code }) => code === acts_as)
  if (as === undefined || !(JSON.parse(grant_types) as string[]).includes(tokenExchangeGrant))
    return undefined
  const { services, permissions } = exchangeIn(exchange)
  return {
    as,
    services,
    permissions,
    declaredServices: declared.filter(({ code }) => services.includes(code)),
  }
}

/** All that clients that count now do by exchange, and of which organisation, from memory as long as nothing changed. */
export async function allExchanging(
  store: Reading,
): Promise<readonly (Exchanging & Pick<ClientRow, 'organisation_uuid'>)[]> {
  return await store.cache.get('exchanging', async () => {
    const declared = await allServices(store)
    const rows = await usableClients(store.db)
      .select(['c.grant_types', 'c.acts_as', 'c.exchange', 'c.organisation_uuid'])
      .where('c.acts_as', 'is not', null)
      .execute()
    return rows.flatMap((row) => {
      const exchanging = exchangingOf(row, declared)
      return exchanging === undefined ? [] : { ...exchanging, organisation_uuid: row.organisation_uuid }
    })
  })
}
