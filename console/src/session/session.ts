/**
 * The sign-in. The access token stands in a variable of this file and nowhere else; it is renewed when it is needed,
 * by an authorization request without a page, so that a session that is idle ends.
 */
import {
  Away,
  type Begun,
  client,
  exchange,
  onHttp,
  oauth,
  orAway,
  requestFor,
  server,
  SignInNeeded,
  type Tokens,
} from './authorization.ts'
import { profile, wanted } from './profile.ts'
import { signedInElsewhere, signIns, tellOthers, whenTold } from './tabs.ts'
import { path } from './issuer.ts'

let tokens: Tokens | undefined

const begunKey = `tessera-console-sign-in${path}`

/** The hint keeps a tab to its person: without it, it would become whoever signed in elsewhere since. */
async function silently(extra: Record<string, string> = {}): Promise<Tokens> {
  const hint: Record<string, string> = tokens === undefined ? {} : { id_token_hint: tokens.id }
  const { url, begun } = await requestFor({ prompt: 'none', ...hint, ...wanted(), ...extra })
  // Same origin, so the address that the redirect ended at can be read.
  const answer = orAway(await fetch(url))
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
  return await never
}
const never = new Promise<never>(() => {})

const currentAddress = () => location.pathname + location.search

/** Begins anew under another profile of the same person: nothing that was read under this one stays. */
export function switchProfile(uuid: string): void {
  profile.keep(uuid)
  location.assign(`${path}/console/`)
}

/** The start: takes what the pages sent back, or signs in without them; leaves for them where neither works. */
export async function begin(): Promise<void> {
  const kept = sessionStorage.getItem(begunKey)
  sessionStorage.removeItem(begunKey)
  if (location.pathname === `${path}/console/callback`) {
    const begun = kept === null ? undefined : (JSON.parse(kept) as Begun)
    const answer = new URL(location.href)
    history.replaceState(null, '', begun?.back ?? `${path}/console/`)
    if (begun !== undefined) {
      hold(await exchange(answer, begun))
      tellOthers('signed in')
      return
    }
  }
  if (currentAddress() === confirmingAddress) await signIn(confirmingAddress, { prompt: 'login' })
  try {
    hold(await silently())
  } catch (error) {
    if (!(error instanceof SignInNeeded)) throw error
    if (error.code === 'invalid_request') profile.forget()
    await signIn()
  }
}

/** Where somebody confirms that it is them: it always asks, as somebody else may have signed in meanwhile. */
export const confirmingAddress = `${path}/console/signed-in?prompt=login`

let renewal: Promise<void> | undefined
/** The part that ended while something is open: the sign-in, or the profile. */
type Ended = 'session' | 'profile' | undefined
let ended: Ended
/** A request that waits for a recent sign-in. */
let confirming: { maxAge: string; done: Promise<boolean>; cancel: () => void } | undefined
const listeners = new Set<() => void>()

/** A `useSyncExternalStore` snapshot. */
export const hasEnded = () => ended
/** How recent, in seconds; undefined: nothing waits for it. */
export const isConfirming = () => confirming?.maxAge
export function whenEnded(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
function tellEnded(now: Ended): void {
  ended = now
  tell()
}
function tell(): void {
  for (const listener of listeners) listener()
}

/** A token that counts. Waits for a new sign-in, in another tab, where this one ended: nothing typed is lost. */
export async function accessToken(refused?: string): Promise<string> {
  while (tokens === undefined || tokens.until < Date.now() || tokens.access === refused) {
    if (leaving) await never
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
    const told = signIns()
    try {
      const next = await silently()
      if (tokens !== undefined && next.profile !== tokens.profile) throw new SignInNeeded('other_profile')
      if (!leaving) hold(next)
      return tellEnded(undefined)
    } catch (error) {
      if (error instanceof Away && ended !== undefined) {
        await pause(error.retryAfter * 1000)
        continue
      }
      if (!(error instanceof SignInNeeded)) throw error
      tellEnded(error.code === 'login_required' ? 'session' : 'profile')
      // A sign-in that was told while this was asked for counts too.
      if (signIns() === told) await signedInElsewhere()
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until this person has signed in so lately, in another tab; false: they would rather not. */
export async function confirmed(maxAge: string): Promise<boolean> {
  if (confirming === undefined) {
    let cancel = () => {}
    const left = new Promise<'left'>((resolve) => {
      cancel = () => resolve('left')
    })
    const done = confirmedUnless(left, maxAge).finally(() => {
      confirming = undefined
      tell()
    })
    confirming = { maxAge, done, cancel }
  }
  return await confirming.done
}

export const cancelConfirming = () => confirming?.cancel()

async function confirmedUnless(left: Promise<'left'>, maxAge: string): Promise<boolean> {
  while (!leaving) {
    const told = signIns()
    try {
      const next = await silently({ max_age: maxAge })
      if (next.profile !== tokens?.profile) throw new SignInNeeded('other_profile')
      hold(next)
      return true
    } catch (error) {
      if (!(error instanceof SignInNeeded)) throw error
    }
    tell()
    if (signIns() === told && (await Promise.race([signedInElsewhere(), left])) === 'left') return false
  }
  return false
}

/** The page goes, so nothing is asked for any more and nothing is kept. */
let leaving = false
function leave(address: string): void {
  leaving = true
  tokens = undefined
  profile.forget()
  location.assign(address)
}
// "Back" may bring it as it was, with what it showed.
addEventListener('pageshow', () => leaving && location.reload())

/** Signs out here, in other tabs, and at the service. */
export async function signOut(): Promise<void> {
  const { access = '', id = '' } = tokens ?? {}
  leaving = true
  tellOthers('signed out')
  // The logout ends it too, so a service that is slow to answer is not waited for.
  const options = { ...onHttp, signal: AbortSignal.timeout(3000) }
  await oauth.revocationRequest(server, client, oauth.None(), access, options).catch(() => undefined)
  leave(`${path}/oauth2/logout?${new URLSearchParams({ id_token_hint: id }).toString()}`)
}
whenTold('signed out', () => leave(`${path}/`))
