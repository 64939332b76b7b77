import type { FieldProblem } from './problem.ts'
import { isLoopbackHost } from './redirect-uri.ts'

/** What the fields of an upstream have to do with its kind, and with one another. */

export type UpstreamKind = 'oidc' | 'saml' | 'ldap'

/** The fields that some kinds have: which need them, and which can have them. */
const fields: Readonly<Record<string, { need: readonly UpstreamKind[]; can?: readonly UpstreamKind[] }>> = {
  issuer: { need: ['oidc', 'saml'] },
  client_id: { need: ['oidc'] },
  client_secret: { need: [], can: ['oidc'] },
  bind_password: { need: [], can: ['ldap'] },
  secret_expires_at: { need: [], can: ['oidc', 'ldap'] },
  metadata_url: { need: [], can: ['saml'] },
  metadata: { need: [], can: ['saml'] },
  url: { need: ['ldap'] },
  bind_dn: { need: ['ldap'] },
  base: { need: ['ldap'] },
  assurance: { need: [], can: ['oidc', 'saml'] },
}

interface UpstreamFields {
  kind: UpstreamKind
  organisation_uuid?: string | null | undefined
  issuer?: string | null | undefined
  url?: string | null | undefined
  metadata?: string | null | undefined
  metadata_url?: string | null | undefined
  logout?: 'own' | 'both' | undefined
  mapping?: readonly unknown[] | undefined
  domains?: readonly string[] | undefined
}

/** What is wrong with the fields of an upstream together. */
export function upstreamProblems(said: UpstreamFields): FieldProblem[] {
  const { kind, issuer, url } = said
  const values: Readonly<Record<string, unknown>> = { ...said }
  const named = Object.entries(fields).flatMap(([field, { need, can = need }]) => {
    const isThere = (values[field] ?? null) !== null
    if (isThere && !can.includes(kind))
      return [{ field, detail: `It is not of an upstream of the kind ${kind}.` }]
    return !isThere && need.includes(kind)
      ? [{ field, detail: `An upstream of the kind ${kind} needs it.` }]
      : []
  })
  const about = (field: string, detail: string | undefined) =>
    detail === undefined ? [] : [{ field, detail }]
  return [
    ...named,
    ...about('issuer', kind === 'oidc' && issuer ? issuerProblem(issuer) : undefined),
    ...about('url', kind === 'ldap' && url ? ldapProblem(url) : undefined),
    ...about('metadata_url', metadataProblem(said)),
    ...about(
      'logout',
      kind === 'ldap' && said.logout === 'both' ? 'Nobody is signed in at LDAP.' : undefined,
    ),
    ...placeProblems(said),
  ]
}

/** Profiles are of an organisation, and one speaks for the domains that it has. */
function placeProblems({
  organisation_uuid: owner,
  mapping = [],
  domains = [],
}: UpstreamFields): FieldProblem[] {
  if ((owner ?? null) === null)
    return mapping.length === 0
      ? []
      : [{ field: 'mapping', detail: 'An upstream of the whole installation gives no profiles.' }]
  return domains.length === 0
    ? []
    : [{ field: 'domains', detail: 'It speaks for the domains of its organisation: leave it out.' }]
}

function metadataProblem({ kind, metadata, metadata_url: address }: UpstreamFields): string | undefined {
  if (kind !== 'saml') return undefined
  if ((metadata ?? null) === null && (address ?? null) === null)
    return 'An upstream of the kind saml needs metadata_url or metadata.'
  return (metadata ?? null) !== null && (address ?? null) !== null
    ? 'It has either metadata_url or metadata.'
    : undefined
}

const microsoft = /(^|\.)microsoftonline\.(com|us|de|cn)$/

function issuerProblem(issuer: string): string | undefined {
  const url = urlOf(issuer)
  if (url === undefined || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    return 'It is no issuer: an https address without query and fragment.'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return 'It must be https; http is for this machine alone.'
  const [, tenant = ''] = url.pathname.split('/')
  if (microsoft.test(url.hostname) && ['common', 'organizations', 'consumers'].includes(tenant.toLowerCase()))
    return 'It must name one tenant: `common`, `organizations` and `consumers` let anybody in.'
  return undefined
}

function ldapProblem(text: string): string | undefined {
  const url = urlOf(text)
  const isRight =
    url !== undefined &&
    ['ldap:', 'ldaps:'].includes(url.protocol) &&
    url.hostname !== '' &&
    ['', '/'].includes(url.pathname) &&
    url.search + url.hash + url.username + url.password === ''
  return isRight ? undefined : 'It is an address such as ldaps://ldap.acme.example, and nothing after it.'
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
