import type { Level } from './authentication.ts'
import type { Scope } from './scope.ts'

/** OpenID Connect Core 1.0 §3.1.2.1 */
export const promptValues = ['none', 'login', 'select_account', 'consent'] as const
export type Prompt = (typeof promptValues)[number]

/** The checked parameters of an authorization request. Plain data, kept as JSON between the steps. */
export interface AuthorizeParameters {
  scopes: Scope[]
  /** The next three are there unless the client need not send them. */
  state: string | undefined
  nonce: string | undefined
  codeChallenge: string | undefined
  /** Undefined: by the query. */
  responseMode?: 'form_post' | undefined
  /** RFC 8707: narrows the audience to one service. */
  resource?: string | undefined
  /** The key that has to exchange the code (RFC 9449 §10), by its thumbprint. */
  dpopJkt?: string | undefined
  prompt: Prompt[]
  /** Seconds. */
  maxAge?: number | undefined
  loginHint?: string | undefined
  /** The subject of a checked id_token_hint. */
  hintedSub?: string | undefined
  uiLocales?: string | undefined
  profileUuid?: string | undefined
  /** The known ones, as they were listed (OpenID Connect Core 1.0 §3.1.2.1). */
  acrValues?: Level[] | undefined
  /** The user whom setting up a second factor, within grace, was offered on the way. */
  offeredTo?: string | undefined
  /** The user who put off setting up a second factor, within grace. */
  putOffBy?: string | undefined
  /** The upstream that the client asks for: `CODE`, or `ORGANISATION/CODE`. */
  upstream?: string | undefined
  /** A sign-in through an upstream failed: nobody is sent there again by itself. */
  upstreamFailed?: boolean | undefined
  /** An upstream's proof that waits until its person proves the account: see `sign-in/upstream-link.ts`. */
  linking?: string | undefined
  /** An upstream's proof that waits for the code mailed to its address: see `sign-in/upstream-guest.ts`. */
  guest?: string | undefined
  /** The request that the client pushed, which one answer uses up: see `store/pushed-requests.ts`. */
  pushed?: string | undefined
  /** A device asks, not a client in this browser: see `sign-in/device.ts`. */
  device?: { id: string; userCode: string } | undefined
  /** A page of ours asks, and this is its path: see `sign-in/here.ts`. */
  here?: string | undefined
  /** An administrator tries a client, and gets no code: see `oauth2/trial.ts`. */
  trial?: string | undefined
}
