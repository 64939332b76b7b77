/**
 * Who is signed in. The access token stands in a variable of this file and nowhere else; it is renewed when it is needed,
 * by an authorization request without a page, so that a session that is idle ends.
 */
import {
  type Begun,
  client,
  exchange,
  onHttp,
  oauth,
  requestFor,
  server,
  SignInNeeded,
  type Tokens,
} from './authorization.ts'

let tokens: Tokens | undefined

const begunKey = 'tessera-console-sign-in'
const profileKey = 'tessera-console-profile'

/** The tab's own; a new tab begins with the last one of all. */
const profile = {
  read: () => sessionStorage.getItem(profileKey) ?? localStorage.getItem(profileKey),
  keep: (uuid: string) => {
    sessionStorage.setItem(profileKey, uuid)
    localStorage.setItem(profileKey, uuid)
  },
  forget: () => {
    sessionStorage.removeItem(profileKey)
    localStorage.removeItem(profileKey)
  },
}

/** What every request asks for, with a page or without. */
const wanted = (): Record<string, string> => {
  const uuid = profile.read()
  return uuid === null ? {} : { profile_uuid: uuid }
}

/** The service answers, but not now. */
export class Away extends Error {
  /** Seconds. */
  readonly retryAfter: number
  constructor({ status, headers }: Response) {
    super(String(status))
    this.retryAfter = Number(headers.get('retry-after') ?? 1)
  }
}

/** The hint keeps a tab to its person: without it, it would become whoever signed in elsewhere since. */
async function silently(): Promise<Tokens> {
  const hint: Record<string, string> = tokens === undefined ? {} : { id_token_hint: tokens.id }
  const { url, begun } = await requestFor({ prompt: 'none', ...hint, ...wanted() })
  // Same origin, so the address that the redirect ended at can be read.
  const answer = await fetch(url)
  if (answer.status === 429 || answer.status >= 500) throw new Away(answer)
  if (!answer.ok) throw new SignInNeeded(String(answer.status))
  return await exchange(new URL(answer.url), begun)
}

function hold(next: Tokens): void {
  tokens = next
  if (next.profile !== undefined) profile.keep(next.profile)
}

/** Leaves for the pages of the service; comes back to `back`. */
export async function signIn(back = currentAddress(), extra: Record<string, string> = {}): Promise<never> {
  const { url, begun } = await requestFor({ ...wanted(), ...extra }, back)
  sessionStorage.setItem(begunKey, JSON.stringify(begun))
  location.assign(url)
  return new Promise(() => {})
}

const currentAddress = () => location.pathname + location.search

/** Begins anew under another profile of the same person: nothing that was read under this one stays. */
export function switchProfile(uuid: string): void {
  profile.keep(uuid)
  location.assign('/console/')
}

/** At the start: takes what the pages sent back, or signs in without them; leaves for them where neither works. */
export async function begin(): Promise<void> {
  const kept = sessionStorage.getItem(begunKey)
  sessionStorage.removeItem(begunKey)
  if (location.pathname === '/console/callback') {
    const begun = kept === null ? undefined : (JSON.parse(kept) as Begun)
    const answer = new URL(location.href)
    history.replaceState(null, '', begun?.back ?? '/console/')
    if (begun !== undefined) {
      hold(await exchange(answer, begun))
      others.postMessage('signed in')
      return
    }
  }
  try {
    hold(await silently())
  } catch (error) {
    if (!(error instanceof SignInNeeded)) throw error
    if (error.code === 'invalid_request') profile.forget()
    await signIn()
  }
}

const others = new BroadcastChannel('tessera-console')
let renewal: Promise<void> | undefined
/** While something is open: the sign-in ended, or the profile did, or the service asks something first. */
export type Ended = 'session' | 'profile' | undefined
let ended: Ended
const listeners = new Set<() => void>()

/** For `useSyncExternalStore`. */
export const hasEnded = () => ended
export function whenEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
function tellEnded(now: Ended): void {
  ended = now
  for (const listener of listeners) listener()
}

/** A token that counts. Waits for a new sign-in, in another tab, where this one ended: nothing typed is lost. */
export async function accessToken(refused?: string): Promise<string> {
  while (tokens === undefined || tokens.until < Date.now() + 5000 || tokens.access === refused) {
    renewal ??= renewed().finally(() => {
      renewal = undefined
    })
    await renewal
  }
  return tokens.access
}

/** What is open was begun under one profile, so it never goes on under another by itself. */
async function renewed(): Promise<void> {
  for (;;) {
    try {
      const next = await silently()
      if (tokens !== undefined && next.profile !== tokens.profile) throw new SignInNeeded('other_profile')
      hold(next)
      return tellEnded(undefined)
    } catch (error) {
      if (!(error instanceof SignInNeeded)) throw error
      tellEnded(error.code === 'login_required' ? 'session' : 'profile')
      await signedInElsewhere()
    }
  }
}

/** Another tab tells it; whoever comes back to this one may have done it in between. */
const signedInElsewhere = () =>
  new Promise<void>((resolve) => {
    const heard = () => {
      others.removeEventListener('message', heard)
      removeEventListener('focus', heard)
      resolve()
    }
    others.addEventListener('message', heard)
    addEventListener('focus', heard)
  })

/** Here, in the other tabs, and at the service. */
export async function signOut(): Promise<void> {
  const { access = '', id = '' } = tokens ?? {}
  tokens = undefined
  profile.forget()
  others.postMessage('signed out')
  await oauth.revocationRequest(server, client, oauth.None(), access, onHttp).catch(() => undefined)
  location.assign(`/oauth2/logout?${new URLSearchParams({ id_token_hint: id }).toString()}`)
}
others.addEventListener('message', ({ data }) => {
  if (data !== 'signed out') return
  tokens = undefined
  location.assign('/')
})
