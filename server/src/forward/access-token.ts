import { issue } from '../oauth2/issue.ts'
import { contextClaims } from '../protocol/claims.ts'
import type { Service } from '../service.ts'
import type { LiveVisit } from './sessions.ts'

/** An application may use a token for this long, or half of its life, after it got it. */
const margin = 60_000

/** Signing again costs less than to keep count of which are the oldest. */
const most = 10_000

interface Signed {
  text: Promise<string> | undefined
  /** When it is signed anew, epoch milliseconds. */
  until: number
}

/** Makes the tokens of `X-Access-Token`: one for a session and a lifetime, as long as it would say the same. */
export function accessTokens(service: Service): (visit: LiveVisit) => Promise<string | undefined> {
  const signed = new Map<string, Signed>()
  return async (visit) => {
    const { client, user, profile, token } = visit.visitor
    if (token === undefined) return undefined
    const { scopes, audience, permissions } = token
    const life = (client.access_token_lifetime ?? service.settings.lifetimes.accessToken / 1000) * 1000
    const said = [scopes, audience, permissions, contextClaims(profile), user.email, life]
    const key = `${visit.session.id} ${JSON.stringify(said)}`
    const known = signed.get(key) ?? { text: undefined, until: 0 }
    if (signed.size >= most) signed.clear()
    signed.set(key, known)
    const now = service.now()
    if (known.text === undefined || known.until <= now) {
      known.until = now + life - Math.min(margin, life / 2)
      // Whoever asks meanwhile waits for the same signature.
      known.text = sign(service, visit, token)
    }
    try {
      return await known.text
    } catch (error) {
      known.text = undefined
      throw error
    }
  }
}

async function sign(
  service: Service,
  { session, visitor }: LiveVisit,
  token: NonNullable<LiveVisit['visitor']['token']>,
): Promise<string> {
  const { access_token: text } = await issue(service, {
    kind: 'person',
    client: visitor.client,
    person: visitor.user,
    context: visitor.profile,
    sid: session.sid,
    familyId: session.id,
    ...token,
    own: undefined,
    auth_time: session.auth_time,
    acr: session.acr,
    amr: JSON.parse(session.amr) as string[],
    nonce: undefined,
    refreshToken: undefined,
  })
  return text
}
