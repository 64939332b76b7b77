/** Signs somebody in by what an upstream proved, once it is known whose account that is. */
import type { Assertion } from '../upstream/assertion.ts'
import { personOf } from '../upstream/person.ts'
import { deviceAt } from '../upstream/ldap-tries.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { tieWaiting } from '../scim/waiting.ts'
import { encryptedIdToken } from '../upstream/secrets.ts'
import type { Service } from '../service.ts'
import { addProof } from '../store/add-proof.ts'
import type { Proof } from '../store/start-session.ts'
import { noteUpstreamSession, upstreamProof } from '../store/upstream-proof.ts'
import { noteUpstreamSignIn } from '../store/upstream-states.ts'
import { setCookie } from './browser.ts'
import { askedBy } from './here.ts'
import { deviceOf, signIn } from './sign-in-here.ts'
import { waitForCode } from './upstream-guest.ts'
import { goOn, type Visit } from './step.ts'
import { failUpstream } from './upstream-failed.ts'
import { waitForProof } from './upstream-waiting.ts'

/** The names of RFC 8176 §2: what an upstream sends beside them is left out. */
const methods = new Set(
  'face fpt geo hwk iris kba mca mfa otp pin pop pwd rba retina sc sms swk tel user vbm wia'.split(' '),
)

/** What somebody came back with. */
export interface CameByUpstream {
  assertion: Assertion
  /** Whether it is one more proof of who is signed in already. */
  stepUp: boolean
  /** The time of the answer, where something was asked since; left out: now. */
  came?: number
  /** The address whose mailed code was typed. */
  mailbox?: string
}

/** Goes on with a sign-in. */
export async function answerByUpstream(
  visit: Visit,
  upstream: Upstream,
  { assertion, stepUp, came, mailbox }: CameByUpstream,
): Promise<unknown> {
  const { service, request } = visit
  const now = service.now()
  const from = { address: request.ip, requestId: request.id }
  const mails = service.mail !== undefined
  const found = await personOf(service.store, assertion, { now, from, mails, mailbox, arrived: tieWaiting })
  if (found.outcome === 'refused') return await failUpstream(visit, upstream, found.reason)
  if (found.outcome === 'guest')
    return await waitForCode(visit, upstream, { assertion, stepUp, email: found.email })
  if (found.outcome === 'prove') return await waitForProof(visit, assertion, { ...found, came: came ?? now })
  return await enter(visit, upstream, { assertion, stepUp, came: came ?? now, user_uuid: found.user_uuid })
}

/** Signs in whose link it is. */
export async function enter(
  visit: Visit,
  upstream: Upstream,
  { assertion, stepUp, came, user_uuid }: Required<Omit<CameByUpstream, 'mailbox'>> & { user_uuid: string },
): Promise<unknown> {
  const { service, client } = visit
  const proof = upstreamProof(assertion, provedByUpstream(assertion, came))
  // A password was typed here: a known browser has tries of its own there too.
  const device = upstream.kind === 'ldap' ? deviceOf(visit) : undefined
  const client_id = askedBy(client.client_id)
  const knownAs = device && deviceAt(upstream, device)
  const sid = await signedIn(visit, { user_uuid, proof, stepUp, device, knownAs, client_id })
  // The link went, or the person was disabled, at this very moment.
  if (sid === undefined) return await failUpstream(visit, upstream, 'disabled')
  await noteSession(service, upstream, { assertion, sid })
  await noteUpstreamSignIn(service.store, upstream.uuid, { user_uuid, now: service.now() })
  return goOn(visit)
}

interface ProvedPerson {
  user_uuid: string
  proof: Proof
  stepUp: boolean
  client_id: string | undefined
  /** The browser becomes known at this upstream, and nowhere else. */
  device: string | undefined
  knownAs: string | undefined
}

/** One more proof for who is signed in, or another session: two proofs of two people never stand in one. */
async function signedIn(
  visit: Visit,
  { user_uuid, proof, stepUp, client_id, device, knownAs }: ProvedPerson,
): Promise<string | undefined> {
  const { service, request, reply, session } = visit
  if (!stepUp || session?.user_uuid !== user_uuid)
    return await signIn(visit, { user_uuid, proofs: [proof], device, knownAs })
  const from = { address: request.ip, requestId: request.id, client_id }
  const added = await addProof(service.store, session, { proof, now: service.now(), from })
  if (added === undefined) return undefined
  setCookie(service, reply, 'session', added.cookie)
  return session.sid
}

/** The most values of `acr`, `amr` or AuthnContext that a session keeps. */
const mostContexts = 20

/** What the session keeps of it: what was sent, of which `assurance` makes a level, and when. */
export function provedByUpstream(
  { contexts, amr, auth_time }: Assertion,
  now: number,
): Omit<Proof['proved'], 'method' | 'credential'> {
  return {
    at: Math.min(auth_time ?? now, now),
    came: now,
    ...(auth_time === undefined && { untimed: true }),
    contexts: contexts.filter((one) => one.length <= 500).slice(0, mostContexts),
    amr: [...new Set(amr.filter((one) => methods.has(one)))],
  }
}

export async function noteSession(
  service: Service,
  { logout }: Upstream,
  { assertion, sid }: { assertion: Assertion; sid: string },
): Promise<void> {
  const { upstream_uuid, subject, sid: upstream_sid = null, id_token } = assertion
  const { secret } = service.settings
  const isKept = logout === 'both' && id_token !== undefined
  const expires_at = service.now() + service.settings.lifetimes.sessionAbsolute
  await noteUpstreamSession(service.store.db, {
    sid,
    upstream_uuid,
    upstream_sid,
    subject,
    id_token: isKept ? encryptedIdToken(id_token, sid, secret) : null,
    expires_at,
  })
}
