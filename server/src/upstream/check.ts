/** What a provider publishes, or whether its directory lets us search: hourly, and when an administrator asks. */
import type { Store } from '../database/store.ts'
import type { Service } from '../service.ts'
import { noteUpstreamDocuments } from '../store/upstream-states.ts'
import { reachingOf } from './fetch.ts'
import { checkLdap } from './ldap.ts'
import { noteDirectoryCheck } from './look.ts'
import { checkOidc } from './oidc.ts'
import { documentsAt } from './oidc-documents.ts'
import { UpstreamRefusal } from './refusal.ts'
import { readSamlDocuments } from './saml-documents.ts'
import type { Upstream } from './upstream.ts'

interface Checking {
  readonly store: Store
  readonly settings: Pick<Service['settings'], 'webhooksToPrivateAddresses'>
}

/** What is wrong, by the rules of a sign-in; null: nothing that can be seen without one. */
export async function problemOf(service: Checking, upstream: Upstream, now: number): Promise<string | null> {
  const reaching = reachingOf(service)
  try {
    if (upstream.kind === 'oidc') await checkOidc(reaching, upstream)
    else if (upstream.kind === 'ldap') await checkLdap(reaching, upstream)
    else await readSamlDocuments(service.store, reaching, upstream, now)
    return null
  } catch (error) {
    if (error instanceof UpstreamRefusal) return `${error.code}: ${error.message}`
    throw error
  }
}

/** The problem of one that counts: its administrators are told, until a look proves the opposite. */
export async function lookAtUpstream(
  service: Checking,
  upstream: Upstream,
  now: number,
): Promise<string | null> {
  const problem = await problemOf(service, upstream, now)
  const { store } = service
  if (upstream.kind === 'ldap') await noteDirectoryCheck(store, upstream, { problem, now })
  else {
    const { uuid, kind, issuer, metadata_url } = upstream
    const at = kind === 'oidc' ? documentsAt(issuer ?? '') : metadata_url
    await noteUpstreamDocuments(store, uuid, { problem, at, now })
  }
  return problem
}
