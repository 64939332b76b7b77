import { randomUUID } from 'node:crypto'
import type { UpstreamRefusal } from '../../dist/upstream/refusal.js'
import { oidcAddress, oidcAssertion, type OidcAsked } from '../../dist/upstream/oidc.js'
import type { Upstream } from '../../dist/upstream/upstream.js'
import type { UpstreamProvider } from '../harness/upstream-provider.ts'
import { upstreamOf } from '../harness/upstream-row.ts'

export const here = { toPrivateAddresses: true, refusal: 'It is private or unknown.' }
export const abroad = { ...here, toPrivateAddresses: false }

/** An upstream of the harness's provider. */
export const upstreamAt = (
  { issuer, clientId, clientSecret }: UpstreamProvider,
  changes: Partial<Upstream> = {},
): Upstream => upstreamOf({ issuer, client_id: clientId, secret: clientSecret, ...changes })

export const askedNow = (changes: Partial<OidcAsked> = {}): OidcAsked => ({
  state: randomUUID(),
  nonce: randomUUID(),
  codeVerifier: randomUUID() + randomUUID(),
  redirectUri: 'https://tessera.example/upstreams/1/callback',
  ...changes,
})

/** A whole sign-in: there, and back. `expected` is what the answer is judged by, where that differs. */
export async function signInAt(
  provider: UpstreamProvider,
  upstream: Upstream,
  asked: Partial<OidcAsked> = {},
  expected: Partial<OidcAsked> = {},
) {
  const all = askedNow(asked)
  const back = provider.authorise(await oidcAddress(here, upstream, all))
  return await oidcAssertion(here, upstream, back, { ...all, ...expected }, Date.now())
}

/** The code of the refusal that work ends with, and what it says. */
export async function refusalOf(work: Promise<unknown>): Promise<{ code: string; detail: string }> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(outcome instanceof Error) || !('code' in outcome))
    throw new Error('It was not refused.', { cause: outcome })
  const { code, message } = outcome as UpstreamRefusal
  return { code, detail: message }
}
