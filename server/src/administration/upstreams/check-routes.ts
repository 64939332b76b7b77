import * as z from 'zod'
import { notFound } from '../../protocol/problem.ts'
import { upstreamsNow } from '../../store/upstreams.ts'
import { lookAtUpstream, problemOf } from '../../upstream/check.ts'
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
  untried: z.string().describe('What a check does not try, and what does.'),
})

const bySignIn = 'A sign-in for show does: `tessera upstream test`, or POST /upstreams/{uuid}/test.'
const untried = {
  oidc: `Whether it takes us as its client: the client id, the secret or key, and the redirect URI. ${bySignIn}`,
  saml: `Whether it knows our metadata, and what it says of people. ${bySignIn}`,
  ldap: `Whether people are found, and their passwords. ${bySignIn}`,
}

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
      'Reads its documents, or binds to its directory, by the rules of a sign-in, and says what is wrong, and what it does not try. Nobody signs in. What is found of an active one stands in its state and in `/attention`: a failure until a look, hourly or by this, proves that it is mended; a client that was refused, until somebody signs in.',
    answers: 'UpstreamCheck',
    repeatable: false,
    body: z.strictObject({}),
    async handle({ service, by, param }) {
      const uuid = uuidOf(param('uuid'), 'upstream')
      const row = await upstreams.find(service.store.db, uuid, by.authority)
      if (row === undefined) throw notFound('upstream')
      const { callback, metadata } = addressesOf(service.issuer, row)
      const at = { callback, metadata }
      const { counts } = (await upstreamsNow(service.store)).byUuid.get(uuid) ?? { counts: false }
      const look = counts && by.tried === undefined ? lookAtUpstream : problemOf
      const problem = await look(service, openUpstream(service, row), by.now)
      return { status: 200, body: { ok: problem === null, problem, ...at, untried: untried[row.kind] } }
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
