import { longestChain } from '../protocol/exchange.ts'
import { allExchanging } from '../store/exchanging.ts'
import type { Reading } from '../store/in-transaction.ts'
import type { Profile } from '../store/users.ts'

/**
 * What services that tokens are for may do elsewhere for the person (decisions 31), one exchange after another: the codes
 * of services, and the permissions there. A client of an organisation in which they have no profile acts for none.
 */
export async function onwardFrom(
  store: Reading,
  services: readonly string[],
  profiles: readonly Pick<Profile, 'organisation_uuid'>[],
): Promise<string[]> {
  if (services.length === 0) return []
  const isTheirs = (uuid: string | null) =>
    uuid === null || profiles.some((one) => one.organisation_uuid === uuid)
  const all = (await allExchanging(store)).filter((one) => isTheirs(one.organisation_uuid))
  const found = new Set<string>()
  let calling = services
  for (let link = 0; link < longestChain && calling.length > 0; link += 1) {
    const exchanging = all.filter(({ as }) => calling.includes(as.code))
    calling = exchanging.flatMap((one) => one.services).filter((code) => !found.has(code))
    for (const one of exchanging.flatMap((each) => [...each.services, ...each.permissions])) found.add(one)
  }
  return [...found].sort()
}
