import { Administrator, profiles } from '../administration/support.ts'
import { authorizeRequest, people } from '../harness/browser.ts'
import { token, Visitor } from '../harness/program.ts'
import { addExchanger, type Caller, exchange, exchangerBody, must } from './exchange-support.ts'
import { intranet, push } from './par-support.ts'
import { assertionType, keyOf, ofKubernetes, type Signing, signed } from './workload-tokens.ts'

const read = 'ledger.entry.read'
const cluster = 'https://kubernetes.default.svc.cluster.local'

/** What proves a client, exchanges a token or pushes a request, each made anew: it can be asked again as it is. */
export function askersOf(tessera: { url: string }) {
  const keys = {} as Record<'own' | 'cluster', Signing>
  let caller: Caller
  let made = 0
  const now = () => Math.floor(Date.now() / 1000)
  const by = (client_assertion: string) => ({ client_assertion_type: assertionType, client_assertion })
  const ownProof = async (id: string) => {
    const claims = { iss: id, sub: id, aud: tessera.url, jti: `${++made}`, exp: now() + 120 }
    return by(await signed(claims, keys.own))
  }
  const asking = (form: Record<string, string>) => async () =>
    await token(tessera.url, { grant_type: 'client_credentials', ...form })
  return {
    async prepare() {
      keys.own = await keyOf('ES256', 'own')
      keys.cluster = await keyOf('ES256', 'cluster')
      const admin = await Administrator.machine(tessera.url)
      const machine = { type: 'machine', services: [], permissions: [] }
      const { etag } = await admin.get('/assertion-issuers')
      const body = { issuers: [{ issuer: cluster, jwks: { keys: [keys.cluster.jwk] } }] }
      must(await admin.ask('PUT', '/assertion-issuers', { body, match: etag }), 200)
      const uid = '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798'
      const federated = { issuer: cluster, claims: { 'kubernetes.io/serviceaccount/uid': uid } }
      const jwks = { keys: [keys.own.jwk] }
      for (const client of [
        { ...machine, client_id: 'robot', jwks },
        { ...machine, client_id: 'orders', federated },
        { ...intranet, jwks },
      ])
        must(await admin.post('/clients', { client_name: client.client_id, ...client }), 201)
      caller = await addExchanger(admin, exchangerBody('submissions-tool', ['ledger'], [read]))
    },
    assertion: async () => asking(await ownProof('robot')),
    /** Of somebody whom nobody has told of yet: the first one is recorded. */
    workload: async () => {
      const claims = ofKubernetes(now(), { iss: cluster, aud: [tessera.url], sub: `pod-${++made}` })
      return asking({ client_id: 'orders', ...by(await signed(claims, keys.cluster)) })
    },
    /** Of a new session: its first exchange is recorded. */
    exchange: async () => {
      const visitor = new Visitor(tessera.url, people.both)
      const { access_token } = await visitor.tokens({ profile_uuid: profiles.bothReader })
      return async () => await exchange(tessera.url, caller, access_token)
    },
    push: async (id = 'submissions-web') => {
      const proven = id === 'intranet' ? await ownProof(id) : {}
      const form = { ...Object.fromEntries(authorizeRequest({ client_id: id }).query), ...proven }
      return async () => await push(tessera.url, form)
    },
  }
}
