import { newSecret } from '../protocol/identifier.ts'
import { type SignIn, startSession } from '../store/start-session.ts'
import { browserLabel } from './browser-label.ts'
import { readCookie, sessionToEnd, setCookie } from './browser.ts'
import { askedBy } from './here.ts'
import type { Visit } from './step.ts'

/** The cookie of a browser, made where it has none. */
export const deviceOf = ({ service, request }: Visit): string =>
  readCookie(service, request, 'device') ?? newSecret()

interface SignInBy extends Pick<SignIn, 'user_uuid' | 'proofs' | 'secondFactorDue' | 'settled' | 'device'> {
  /** What the browser is known by, where that is not its cookie alone. */
  knownAs?: string | undefined
}

/** Signs this browser in for the authorization request; yields the `sid`. Undefined, and nothing changed: a proof is void by now. */
export async function signIn(
  { service, request, reply, pending, client, session }: Visit,
  { device, knownAs = device, ...signedIn }: SignInBy,
): Promise<string | undefined> {
  const now = service.now()
  // Its cookie is replaced, and the token families of a session that was idle for too long may still be live.
  const previous = session ?? (await sessionToEnd(service, request))
  const started = await startSession(service.store, previous, {
    ...signedIn,
    device: knownAs,
    now,
    lifetime: service.settings.lifetimes.sessionAbsolute,
    from: { address: request.ip, requestId: request.id, client_id: askedBy(client.client_id) },
    browser: browserLabel(request.headers['user-agent']),
    pendingId: pending.id,
  })
  if (started === undefined) return undefined
  setCookie(service, reply, 'session', started.cookie)
  if (device !== undefined) setCookie(service, reply, 'device', device)
  return started.sid
}
