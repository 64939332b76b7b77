import { Resolver } from 'node:dns/promises'
import { domainToASCII } from 'node:url'
import { randomText } from '../protocol/identifier.ts'

/** What stands at `_tessera.` before a domain, of the records that are looked for. */
export interface DomainRecords {
  texts: ReadonlySet<string>
  /** Why a record that was found there does not count. */
  refused?: 'alias' | 'wildcard'
}

/**
 * Which of these records stand there, at the name itself: an alias is another name's, and a wildcard answers for names
 * that nobody made. Undefined: the servers don't say, which is not that there is none.
 */
export async function recordsOf(
  servers: readonly string[],
  domain: string,
  wanted: readonly string[],
): Promise<DomainRecords | undefined> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const ascii = domainToASCII(domain)
  const found = async (label: string) => {
    const records = await answered(resolver.resolveTxt(`${label}.${ascii}`))
    const texts = new Set(records.map((parts) => parts.join('')))
    return new Set(wanted.filter((one) => texts.has(one)))
  }
  try {
    const texts = await found('_tessera')
    if (texts.size === 0) return { texts }
    const aliases = await answered(resolver.resolveCname(`_tessera.${ascii}`))
    if (aliases.length > 0) return { texts: new Set(), refused: 'alias' }
    const everywhere = await found(`_${randomText(8, 'hex')}`)
    return everywhere.size > 0 ? { texts: new Set(), refused: 'wildcard' } : { texts }
  } catch {
    return undefined
  }
}

/** No records where the name or the type is not there; other failures are thrown. */
async function answered<T>(question: Promise<T[]>): Promise<T[]> {
  try {
    return await question
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENODATA' || code === 'ENOTFOUND') return []
    throw error
  }
}
