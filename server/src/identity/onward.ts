import { longestChain } from '../protocol/exchange.ts'
import { allExchanging } from '../store/exchanging.ts'
import type { Reading } from '../store/in-transaction.ts'

/**
 * What services that tokens are for may do elsewhere for the person (decisions 31), one exchange after another: the codes
 * of services, and the permissions there.
 */
export async function onwardFrom(store: Reading, services: readonly string[]): Promise<string[]> {
  if (services.length === 0) return []
  const all = await allExchanging(store)
  const found = new Set<string>()
  let calling = services
  for (let link = 0; link < longestChain && calling.length > 0; link += 1) {
    const exchanging = all.filter(({ as }) => calling.includes(as.code))
    calling = exchanging.flatMap((one) => one.services).filter((code) => !found.has(code))
    for (const one of exchanging.flatMap((each) => [...each.services, ...each.permissions])) found.add(one)
  }
  return [...found].sort()
}
