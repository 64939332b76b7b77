/** Upstreams by which a browser may sign in: of an address's domain, of the application's organisation, or asked for. */
import { domainOf } from '../protocol/email-address.ts'
import type { Client } from '../store/clients.ts'
import type { Reading } from '../store/in-transaction.ts'
import { installationPolicy, organisationPolicies } from '../store/policies.ts'
import { type UpstreamNow, upstreamsNow, upstreamsOf } from '../store/upstreams.ts'
import { strictest } from '../protocol/policy.ts'
import { organisationOfCode } from '../store/place-codes.ts'

/** Whether anybody signs in through an upstream here: otherwise no page speaks of them. */
export const anyUpstream = async (store: Reading): Promise<boolean> =>
  [...(await upstreamsNow(store)).byUuid.values()].some(({ counts }) => counts)

/** The upstreams of an address's domain. Never asked: whether somebody has the address. */
export async function waysOfDomain(store: Reading, email: string): Promise<UpstreamNow[]> {
  const now = await upstreamsNow(store)
  const domain = domainOf(email) ?? ''
  const holder = now.holders.get(domain)
  if (holder !== undefined) return upstreamsOf(now, holder)
  return upstreamsOf(now, null).filter(({ domains }) => (JSON.parse(domains) as string[]).includes(domain))
}

/** The upstreams that an application's page offers: its organisation's, and those of the installation. */
export async function waysOfClient(store: Reading, { organisation_uuid }: Client): Promise<UpstreamNow[]> {
  const now = await upstreamsNow(store)
  if (now.byUuid.size === 0) return []
  return [
    ...(organisation_uuid === null ? [] : upstreamsOf(now, organisation_uuid)),
    ...upstreamsOf(now, null),
  ]
}

/** The upstream of a code: of the application's organisation, of the installation, or `ORGANISATION/CODE`. */
export async function wayOfCode(
  store: Reading,
  { organisation_uuid }: Client,
  asked: string,
): Promise<UpstreamNow | undefined> {
  const now = await upstreamsNow(store)
  const [code = '', organisation] = asked.split('/').toReversed()
  const own = [
    ...(organisation_uuid === null ? [] : upstreamsOf(now, organisation_uuid)),
    ...upstreamsOf(now, null),
  ]
  if (organisation === undefined) return own.find((one) => one.code === code)
  const uuid = await organisationOfCode(store, organisation)
  return uuid === undefined ? undefined : upstreamsOf(now, uuid).find((one) => one.code === code)
}

/** The one upstream of an application's organisation whose policy wants it: nobody is asked how to sign in. */
export async function onlyWay(store: Reading, client: Client): Promise<UpstreamNow | undefined> {
  const { organisation_uuid } = client
  if (organisation_uuid === null) return undefined
  const [only, ...others] = upstreamsOf(await upstreamsNow(store), organisation_uuid)
  if (only === undefined || others.length > 0) return undefined
  const policies = [
    await installationPolicy(store),
    ...(await organisationPolicies(store, organisation_uuid)),
    ...(client.policy ? [client.policy] : []),
  ]
  return strictest(policies).signIn === 'upstream' ? only : undefined
}
