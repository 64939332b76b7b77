import { X509Certificate } from 'node:crypto'
import * as z from 'zod'
import type { Store } from '../../database/store.ts'
import { notFound } from '../../protocol/problem.ts'
import { isoTime } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { route, type Route } from '../route.ts'
import { type Upstream, upstreams } from './verbs.ts'

const time = z.iso.datetime().nullable()
const address = z.string().nullable()

const upstreamState = z.object({
  people: z.number().int().describe('How many people are linked to it.'),
  last_sign_in_at: time.describe(
    'When somebody last signed in through it, to the minute; null: nobody has yet.',
  ),
  problem: z
    .string()
    .nullable()
    .describe(
      'What its administrators have to mend, as a sign-in met it last; null: nothing, or somebody got through since.',
    ),
  failing_since: time.describe('Since when its documents can’t be fetched.'),
  certificates_end_at: time.describe(
    'Of SAML: when the last certificate of its metadata ends. It is told, and sign-ins go on.',
  ),
  callback: address.describe('What is to be registered there: the redirect URI, or the ACS of SAML.'),
  entity_id: address.describe('Of SAML: our entityID.'),
  metadata: address.describe('Of SAML: where our metadata is.'),
  jwks: address.describe('Of OpenID Connect: our key, for `private_key_jwt`.'),
  logout: address.describe('Where it tells us that somebody signed out.'),
  signed_out: address.describe(
    'Of OpenID Connect, for `logout: both`: the address to return to after signing out there.',
  ),
})

export const upstreamStateSchemas = { UpstreamState: upstreamState }

/** The addresses of an upstream here, which are registered there. LDAP has none. */
export function addressesOf(issuer: string, { uuid, kind }: Pick<Upstream, 'uuid' | 'kind'>) {
  const own = `${issuer}/upstreams/${uuid}`
  const [isSaml, isOidc] = [kind === 'saml', kind === 'oidc']
  return {
    callback: isSaml ? `${own}/acs` : isOidc ? `${own}/callback` : null,
    entity_id: isSaml ? own : null,
    metadata: isSaml ? `${own}/metadata` : null,
    jwks: isOidc ? `${own}/jwks` : null,
    logout: isSaml ? `${own}/slo` : isOidc ? `${own}/logout` : null,
    signed_out: isOidc ? `${own}/signed-out` : null,
  }
}

export const upstreamStateRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/upstreams/:uuid/state',
    permission: 'iam.upstreams.read',
    summary: 'Read how an upstream does',
    description:
      'Who is linked, when somebody last came through it, what is wrong, and what is to be registered there. Nothing is asked of the provider: `POST /upstreams/{uuid}/check` does.',
    answers: 'UpstreamState',
    refusals: ['not_found'],
    async handle({ service, by, param }) {
      const row = await upstreams.find(service.store.db, uuidOf(param('uuid'), 'upstream'), by.authority)
      if (row === undefined) throw notFound('upstream')
      return {
        status: 200,
        body: { ...(await stateOf(service.store, row)), ...addressesOf(service.issuer, row) },
      }
    },
  }),
]

async function stateOf({ db }: Store, { uuid, kind }: Upstream) {
  const { people } = await db
    .selectFrom('upstream_links')
    .select(({ fn }) => fn.countAll<number | string>().as('people'))
    .where('upstream_uuid', '=', uuid)
    .executeTakeFirstOrThrow()
  const state = await db
    .selectFrom('upstream_states')
    .select(['documents', 'last_sign_in_at', 'problem', 'failing_since'])
    .where('upstream_uuid', '=', uuid)
    .executeTakeFirst()
  const written = (at: number | null | undefined) => (typeof at === 'number' ? isoTime(at) : null)
  return {
    people: Number(people),
    last_sign_in_at: written(state?.last_sign_in_at),
    problem: state?.problem ?? null,
    failing_since: written(state?.failing_since),
    certificates_end_at: kind === 'saml' ? written(lastEnd(state?.documents ?? null)) : null,
  }
}

/** The end of the certificate that lasts longest, of metadata as it was read last. */
function lastEnd(documents: string | null): number | undefined {
  const { certificates = [] } = JSON.parse(documents ?? '{}') as { certificates?: readonly string[] }
  const ends = certificates.map((one) => Date.parse(new X509Certificate(one).validTo))
  return ends.length === 0 ? undefined : Math.max(...ends)
}
