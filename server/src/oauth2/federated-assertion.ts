/** Clients that a token of another issuer proves: of their cluster, or of the platform that runs their job (decisions 30). */
import type { FastifyRequest } from 'fastify'
import { record } from '../audit/record.ts'
import { describable } from '../protocol/characters.ts'
import { hashSecret } from '../protocol/identifier.ts'
import {
  type AssertionIssuer,
  type Federated,
  isOpenTo,
  issuerProblem,
  longestFederated,
  type Mismatch,
  mismatchOf,
} from '../protocol/federated.ts'
import type { JwkSet } from '../protocol/jwk-set.ts'
import { ProtocolError } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { assertionIssuers, clientOfSubject } from '../store/federated-subjects.ts'
import type { Reading } from '../store/in-transaction.ts'
import {
  type Decoded,
  decodedAssertion,
  headerProblem,
  timesProblem,
  verifiedBy,
} from './client-assertion.ts'
import type { ClientKeys } from './client-keys.ts'

/** Verified tokens in memory. */
const mostKept = 1000

type CheckFederated = (
  client: Client,
  federated: Federated,
  assertion: string,
  asked: { request: FastifyRequest; store: Reading },
) => Promise<void>

/**
 * Checks a token of another issuer, and throws what is wrong with it. It counts until it ends, because platforms hand
 * out the same one again (keycloak-community#180). What is remembered is who signed it; all else is asked each time.
 */
export function federatedAuthentication(service: Service, keysAt: ClientKeys): CheckFederated {
  /** The set that each was verified by: with another one it is verified anew. */
  const kept = new Map<string, JwkSet>()
  const told = tellOnce(service)
  return async (client, federated, assertion, { request, store }) => {
    const decoded = decodedAssertion(assertion)
    if (decoded === undefined) throw refusal('The client_assertion is no JWT.')
    // The issuer is known before anybody is asked for keys.
    const issuer = await issuerOf(service, store, client, federated, decoded)
    const now = Math.floor(service.now() / 1000)
    const wrong =
      headerProblem(client, decoded.header) ??
      audienceProblem(service, issuer, decoded.claims.aud) ??
      timesProblem(now, decoded.claims) ??
      lifetimeProblem(issuer, decoded.claims)
    if (wrong !== undefined) throw refusal(wrong)
    const key = hashSecret(`${client.client_id} ${assertion}`)
    const at = issuer.jwks === undefined ? (issuer.jwks_uri ?? { issuer: issuer.issuer }) : null
    const jwks = issuer.jwks as JwkSet | undefined
    const known = kept.get(key)
    const isKnown = known !== undefined && known === (at === null ? jwks : (await keysAt(at)).keys)
    const verified = isKnown ? { keys: known } : await verifiedBy(keysAt, { jwks, at }, client, assertion)
    if (verified.keys === undefined) throw unsigned(issuer.issuer, verified.problem)
    const other = mismatchOf(federated, decoded.claims)
    if (other !== undefined) throw mismatched(client, other)
    await told(client, decoded.claims, async () => {
      await recordProved(service, request, client, federated, decoded)
    })
    kept.delete(key)
    kept.set(key, verified.keys)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  }
}

/** Subjects that a process tells of in a day: whoever holds the keys of an issuer could name any number. */
const mostTold = 20

/**
 * Tells of each subject of a client and issuer once a day, and anew where the client changed hands. Who comes meanwhile
 * waits for it, so that nothing is given before it is recorded.
 */
function tellOnce({ now }: Service) {
  const subjects = new Map<string, Map<string, Promise<void>>>()
  let day = 0
  return async (
    { client_id, token_generation }: Client,
    { iss, sub: subject = '' }: Decoded['claims'],
    tell: () => Promise<void>,
  ): Promise<void> => {
    const today = Math.floor(now() / 86_400_000)
    if (today !== day) subjects.clear()
    day = today
    const who = `${client_id} ${token_generation} ${iss}`
    const known = subjects.get(who) ?? new Map<string, Promise<void>>()
    subjects.set(who, known)
    if (!known.has(subject) && known.size >= mostTold) return
    const telling = known.get(subject) ?? tell()
    known.set(subject, telling)
    try {
      await telling
    } catch (error) {
      known.delete(subject)
      throw error
    }
  }
}

/** The declared issuer whose token it is. Throws where it is another's, or proves no client of this organisation. */
async function issuerOf(
  { issuer: own }: Service,
  store: Reading,
  { organisation_uuid }: Client,
  federated: Federated,
  { claims: { iss } }: Decoded,
): Promise<AssertionIssuer> {
  if (iss !== federated.issuer)
    throw refusal(
      'The iss of the client_assertion is not the issuer that the client is registered with. They are compared to the last slash.',
      `iss is ${JSON.stringify(iss)}, registered is ${federated.issuer}`,
    )
  const declared = await assertionIssuers(store)
  const issuer = declared.get(federated.issuer)
  if (issuer !== undefined && isOpenTo(issuer, organisation_uuid) && issuer.issuer !== own) return issuer
  throw refusal(
    'The installation does not take tokens of this issuer for the client: look at its assertion_issuers.',
    `${federated.issuer} ${issuerProblem(declared.values(), federated, organisation_uuid) ?? 'is this service itself'}`,
  )
}

/** A token that is for others too could be one that they were given. */
function audienceProblem(
  { issuer: own }: Service,
  { audience }: AssertionIssuer,
  aud: unknown,
): string | undefined {
  const ours: unknown[] = [own, ...(audience === undefined ? [] : [audience])]
  const all = [aud].flat()
  if (all.length > 0 && all.every((one) => ours.includes(one))) return undefined
  return `The aud of the client_assertion must be ${own}, and nothing else: ask the platform for a token with exactly this audience.`
}

function lifetimeProblem(
  { max_lifetime: most = longestFederated.usual }: AssertionIssuer,
  { exp = 0, iat }: Decoded['claims'],
): string | undefined {
  if (typeof iat !== 'number') return 'The client_assertion has no iat.'
  if (exp - iat <= most) return undefined
  return `The client_assertion lives for ${exp - iat} seconds, and at most ${most} are taken: ask for a shorter one, or raise max_lifetime of the issuer.`
}

const unsigned = (issuer: string, problem: string) =>
  refusal(
    'The client_assertion is not signed by a key that its issuer publishes, or the keys could not be read.',
    `${issuer}: ${problem}`,
  )

/** The name alone is told: what is registered would help whoever may choose what such a token says. */
function mismatched({ client_id }: Client, { name, wanted, found }: Mismatch): ProtocolError {
  const kinds = found === undefined ? [] : [typeof found, typeof wanted]
  const why =
    found === undefined
      ? 'is not in it'
      : kinds[0] === kinds[1]
        ? 'is another'
        : `is a ${kinds[0]} in it, and registered as a ${kinds[1]}`
  return refusal(
    `The client_assertion is not that of this client: ${describable(name)} ${why}.`,
    `${client_id}: ${name} is ${JSON.stringify(found)}, registered is ${JSON.stringify(wanted)}`,
  )
}

async function recordProved(
  { store, now }: Service,
  { ip: address, id: requestId }: FastifyRequest,
  { client_id: id, organisation_uuid }: Client,
  { issuer, claims: wanted = {} }: Federated,
  { claims }: Decoded,
): Promise<void> {
  await record(store, {
    at: now(),
    kind: 'client_authentication.federated',
    actor: { kind: 'client', id, ...(organisation_uuid !== null && { organisation_uuid }) },
    address,
    requestId,
    target: { kind: 'client', id },
    client_id: id,
    organisation_uuid: organisation_uuid ?? undefined,
    detail: {
      issuer,
      subject: claims.sub ?? null,
      ...(Object.keys(wanted).length > 0 && { claims: wanted }),
    },
  })
}

/** The client that an assertion without client_id names; nothing of it was checked. Undefined: it is no JWT with a sub. */
export async function claimedClient(
  store: Reading,
  assertion: string,
): Promise<{ client_id: string; hint?: string } | undefined> {
  const { iss, sub } = decodedAssertion(assertion)?.claims ?? {}
  if (typeof sub !== 'string' || sub === '') return undefined
  // One by its own key names itself twice.
  if (iss === sub || typeof iss !== 'string') return { client_id: sub }
  const declared = await assertionIssuers(store)
  if (!declared.has(iss)) {
    const problem = describable(issuerProblem(declared.values(), { issuer: iss }, null) ?? '')
    return { client_id: sub, hint: ` The iss of the client_assertion ${problem}.` }
  }
  const hint =
    ' No client without organisation is registered with the sub of the client_assertion: compare them, or send the client_id.'
  return { client_id: (await clientOfSubject(store, iss, sub)) ?? '', hint }
}

const refusal = (description: string, detail?: string) =>
  new ProtocolError('invalid_client', description, detail === undefined ? {} : { detail })
