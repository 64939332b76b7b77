/** What tests of a sign-in that is tried share. */
import { expect } from 'vitest'
import type { Administrator } from '../administration/support.ts'
import type { TestBrowser, Visit } from '../harness/browser.ts'
import type { Claims, Place } from './sign-in-support.ts'

export interface Begun {
  id: string
  address: string
  upstream: string
}

/** What came of a trial, as the API says it. */
export interface Tried {
  state: string
  opened: boolean
  problem: { code: string; message: string; cure: string } | null
  came: Record<string, unknown> | null
  would: Record<string, unknown> | null
}

export async function begin(place: Place, upstream = place.upstream): Promise<Begun> {
  const answer = await place.admin.post(`/upstreams/${upstream}/test`, {})
  expect(answer.status, answer.text).toBe(201)
  const { id, address } = answer.json as Record<string, string>
  return { id: id ?? '', address: address ?? '', upstream }
}

export async function outcomeOf(
  { admin }: { admin: Administrator },
  { upstream, id }: Begun,
): Promise<Tried> {
  const { status, json, text } = await admin.get(`/upstreams/${upstream}/test/${id}`)
  expect(status, text).toBe(200)
  return json as unknown as Tried
}

/** Opens the address, and goes to the provider; yields the redirect there. */
export const leaveTo = async (browser: TestBrowser, { address }: Begun): Promise<Visit> =>
  await browser.submit(await browser.open(address))

/** The whole way; yields the page of the outcome, and the outcome. */
export async function tryAs(
  place: Place,
  person: Claims,
  { browser = place.browser(), upstream = place.upstream }: { browser?: TestBrowser; upstream?: string } = {},
): Promise<Tried & { visit: Visit; browser: TestBrowser }> {
  const begun = await begin(place, upstream)
  const visit = await place.back(browser, await leaveTo(browser, begun), person)
  return { ...(await outcomeOf(place, begun)), visit, browser }
}
