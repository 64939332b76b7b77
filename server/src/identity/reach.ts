/**
 * Which profiles the proofs of a session open (decisions 16): a proof reaches as far as its voucher. Asked by the choice
 * of a profile, the account, tokens and invitations alike, of the upstreams as they are now.
 */
import {
  acrOf,
  type Authentication,
  authenticationOf,
  higher,
  type Level,
  meets,
  type Proved,
  provedOf,
  provesSomebody,
} from '../protocol/authentication.ts'
import type { Reading } from '../store/in-transaction.ts'
import { placesOf } from '../store/policies.ts'
import { type UpstreamsNow, upstreamsNow } from '../store/upstreams.ts'

/** The place of a profile: the organisation that it is in; null: it holds everywhere. */
export interface ReachedPlace {
  organisation_uuid: string | null
}

export interface ProofReach {
  /** Whether the proofs open a profile there. */
  opens(place: ReachedPlace): boolean
  /** What was proved, as it counts for a profile there. */
  proven(place: ReachedPlace): Authentication
  /** Proofs for the policy of the organisation itself, which takes what its own upstream assures. */
  assured(place: ReachedPlace): Authentication
  /** When somebody was last proved by an upstream of this very organisation, epoch milliseconds; undefined: not. */
  byUpstreamOf(organisation_uuid: string | null): number | undefined
  /** Whether they open whatever there is. */
  isFull: boolean
  /** The proofs that open whatever there is. */
  full: readonly Proved[]
}

/** Whether any of these proofs may be limited. */
const isLimited = ({ proofs }: Authentication): boolean =>
  proofs.includes('"method":"upstream"') || proofs.includes('"reach":')

/** What these proofs open. Where no upstream took part, that is everything, and nothing is asked. */
export async function reachOf(store: Reading, said: Authentication): Promise<ProofReach> {
  if (!isLimited(said)) {
    const as = () => said
    const full = provedOf(said)
    return { opens: () => true, proven: as, assured: as, byUpstreamOf: () => undefined, isFull: true, full }
  }
  const now = await upstreamsNow(store)
  const proofs = provedOf(said)
  const at = (place: ReachedPlace) => proofs.filter((one) => opens(now, voucherOf(now, one), place))
  const everything = proofs.filter((one) => voucherOf(now, one) === 'everything')
  return {
    opens: (place) => provesSomebody(at(place)),
    proven: (place) =>
      authenticationAs(
        said,
        at(place).map((one) => counted(now, one, undefined)),
      ),
    assured: (place) =>
      authenticationAs(
        said,
        at(place).map((one) => counted(now, one, place.organisation_uuid)),
      ),
    byUpstreamOf: (organisation_uuid) => lastBy(now, proofs, organisation_uuid),
    isFull: provesSomebody(everything),
    full: everything,
  }
}

type Voucher = 'everything' | 'nothing' | { organisation: string }

/** The voucher for a proof: an upstream as it is now, or the organisation under whose proof a credential was set up. */
function voucherOf({ byUuid }: UpstreamsNow, { method, credential = '', reach }: Proved): Voucher {
  if (method !== 'upstream') return reach === undefined ? 'everything' : { organisation: reach }
  const upstream = byUuid.get(credential)
  if (upstream?.counts !== true) return 'nothing'
  return upstream.organisation_uuid === null ? 'everything' : { organisation: upstream.organisation_uuid }
}

/** An organisation's proof opens that organisation and those that accept it. What accepts those accepts it not. */
function opens(
  { accepts }: UpstreamsNow,
  voucher: Voucher,
  { organisation_uuid: place }: ReachedPlace,
): boolean {
  if (typeof voucher === 'string') return voucher === 'everything'
  if (place === null) return false
  return place === voucher.organisation || accepts.get(place)?.has(voucher.organisation) === true
}

/** Whether the proofs open every profile that somebody has, usable or not: only then it is their whole account. */
export async function opensAll(store: Reading, user_uuid: string, reach: ProofReach): Promise<boolean> {
  if (reach.isFull) return true
  const places = await placesOf(store, user_uuid)
  return places.every(({ organisation_uuid = null }) => reach.opens({ organisation_uuid }))
}

/** Whether what was set up under an organisation's proof reaches a place; null: it reaches everywhere. */
export async function reachesTo(
  store: Reading,
  reach: string | null,
  place: ReachedPlace | undefined,
): Promise<boolean> {
  if (reach === null) return true
  return place !== undefined && opens(await upstreamsNow(store), { organisation: reach }, place)
}

/**
 * The proof with the level that its upstream's `assurance` makes of it today, for all or for its own organisation: what was
 * mapped otherwise when it came counts no more.
 */
function counted({ byUuid }: UpstreamsNow, proof: Proved, own: string | null | undefined): Proved {
  const { method, credential = '', contexts = [] } = proof
  const upstream = method === 'upstream' ? byUuid.get(credential) : undefined
  if (upstream === undefined || contexts.length === 0) return proof
  const isOwn = own !== undefined && own !== null && upstream.organisation_uuid === own
  if (upstream.assurance_trusted !== 1 && !isOwn) return proof
  const level = contexts.reduce<Level>(
    (highest, one) => higher(highest, upstream.assures.get(one) ?? '1'),
    '1',
  )
  return level === '1' ? proof : { ...proof, level }
}

/** What these proofs say, at no higher level than the token was asked for. Nothing that reaches less goes along. */
function authenticationAs(said: Authentication, proofs: readonly Proved[]): Authentication {
  const reached = acrOf(proofs)
  const before = acrOf(provedOf(said))
  const asked: Level = meets(said.acr, before) ? reached : lower(reached, said.acr as Level)
  return authenticationOf(proofs, asked)
}

const lower = (one: Level, other: Level): Level => (meets(one, other) ? other : one)

function lastBy(
  { byUuid }: UpstreamsNow,
  proofs: readonly Proved[],
  organisation_uuid: string | null,
): number | undefined {
  const times = proofs
    .filter(({ method, credential = '' }) => {
      const upstream = method === 'upstream' ? byUuid.get(credential) : undefined
      return upstream?.counts === true && upstream.organisation_uuid === organisation_uuid
    })
    .map(({ at, came = at }) => came)
  return times.length === 0 ? undefined : Math.max(...times)
}

/** The reach of what is set up by these proofs: no further than theirs. Undefined: everywhere. */
export async function reachOfNew(store: Reading, said: Authentication): Promise<string | undefined> {
  if (!isLimited(said)) return undefined
  const now = await upstreamsNow(store)
  const vouchers = provedOf(said)
    .filter(({ method }) => provesSomebodyBy(method))
    .map((one) => voucherOf(now, one))
  if (vouchers.includes('everything')) return undefined
  const [first] = vouchers.flatMap((one) => (typeof one === 'string' ? [] : [one.organisation]))
  return first ?? 'nobody'
}

/** Whether what is added under these proofs, and opens what an upstream of this organisation does, reaches no further than they. */
export async function vouchFor(
  store: Reading,
  said: Authentication,
  organisation_uuid: string | null,
): Promise<boolean> {
  const now = await upstreamsNow(store)
  const vouchers = provedOf(said)
    .filter(({ method }) => provesSomebodyBy(method))
    .map((one) => voucherOf(now, one))
  return vouchers.some(
    (one) => one === 'everything' || (one !== 'nothing' && one.organisation === organisation_uuid),
  )
}

const provesSomebodyBy = (method: Proved['method']): boolean =>
  method === 'password' || method === 'upstream' || method === 'passkey'
