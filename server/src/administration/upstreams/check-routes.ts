import * as z from 'zod'
import { notFound } from '../../protocol/problem.ts'
import { reachingOf } from '../../upstream/fetch.ts'
import { checkLdap } from '../../upstream/ldap.ts'
import { checkOidc } from '../../upstream/oidc.ts'
import { UpstreamRefusal } from '../../upstream/refusal.ts'
import { readSamlDocuments } from '../../upstream/saml-documents.ts'
import { openUpstream } from '../../upstream/secrets.ts'
import { proveDomain } from '../../upstream/domains.ts'
import { originOf } from '../change.ts'
import { domains } from '../domains/verbs.ts'
import { uuidOf } from '../path.ts'
import { route, type Route } from '../route.ts'
import { addressesOf } from './state-routes.ts'
import { upstreams } from './verbs.ts'

const upstreamCheck = z.object({
  ok: z.boolean(),
  problem: z.string().nullable().describe('What is wrong, and at which side; null: nothing.'),
  callback: z
    .string()
    .nullable()
    .describe('The address to register there: the redirect URI, or the ACS of SAML. LDAP has none.'),
  metadata: z.string().nullable().describe('Of SAML: where our metadata is.'),
})

const domainCheck = z.object({
  outcome: z
    .enum(['holds', 'no_record', 'alias', 'wildcard', 'held', 'organisation_disabled', 'no_answer'])
    .describe(
      '`holds`: the organisation has the domain. `held`: the record is right, and another organisation’s is there too.',
    ),
})

export const checkSchemas = { UpstreamCheck: upstreamCheck, DomainCheck: domainCheck }

export const checkRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/upstreams/:uuid/check',
    permission: 'iam.upstreams.read',
    summary: 'Look whether an upstream can be signed in through',
    description:
      'Reads its documents, or binds to its directory, by the rules of a sign-in, and says what is wrong. Nobody signs in, and nothing changes.',
    answers: 'UpstreamCheck',
    repeatable: false,
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const uuid = uuidOf(param('uuid'), 'upstream')
      const row = await upstreams.find(service.store.db, uuid, by.authority)
      if (row === undefined) throw notFound('upstream')
      const { callback, metadata } = addressesOf(service.issuer, row)
      const at = { callback, metadata }
      const problem = await problemOf(service, openUpstream(service, row), by.now)
      return { status: 200, body: { ok: problem === null, problem, ...at } }
    },
  }),
  route({
    method: 'POST',
    path: '/domains/:uuid/check',
    permission: 'iam.domains.update',
    summary: 'Look now at the record of a domain',
    description:
      'The TXT record of `_tessera.` before the name. Otherwise it is looked at daily. Where another organisation’s record is gone and this one’s is there, the domain moves at once.',
    answers: 'DomainCheck',
    repeatable: false,
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const uuid = uuidOf(param('uuid'), 'domain')
      if ((await domains.find(service.store.db, uuid, by.authority)) === undefined) throw notFound('domain')
      const outcome = await proveDomain(service, uuid, { now: by.now, ...originOf(by) })
      if (outcome === undefined) throw notFound('domain')
      return { status: 200, body: { outcome } }
    },
  }),
]

type Checking = Parameters<typeof reachingOf>[0] & { store: Parameters<typeof readSamlDocuments>[0] }

async function problemOf(
  service: Checking,
  upstream: ReturnType<typeof openUpstream>,
  now: number,
): Promise<string | null> {
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
