/** What tests of guests share: the way through the provider to the page of the code, and the code. */
import { expect } from 'vitest'
import { authorizeRequest, type TestBrowser, type Visit } from '../harness/browser.ts'
import { newCode } from '../harness/development-mail.ts'
import type { Claims, Place } from './sign-in-support.ts'

export const pathOf = (visit: Visit): string => new URL(visit.url).pathname
export const guestPath = '/sign-in/guest'

export interface Guest {
  browser: TestBrowser
  request: ReturnType<typeof authorizeRequest>
  page: Visit
}

/** Somebody comes through the upstream of this code, and is asked for the code of a mail. */
export async function arrive(
  place: Place,
  person: Claims,
  { browser = place.browser(), code = 'acme/entra', provider = place.provider } = {},
): Promise<Guest> {
  const request = authorizeRequest({ upstream: code })
  const left = await browser.open(request.path)
  return { browser, request, page: await place.back(browser, left, person, provider) }
}

/** The same, with the code that was mailed. */
export async function arriveWithCode(
  place: Place,
  person: Claims & { email: string },
  options: Parameters<typeof arrive>[2] = {},
): Promise<Guest & { code: string }> {
  let guest: Guest | undefined
  const code = await newCode(place.tessera, person.email, async () => {
    guest = await arrive(place, person, options)
    expect(pathOf(guest.page), guest.page.body).toBe(guestPath)
  })
  if (guest === undefined) throw new Error('Nobody arrived.')
  return { ...guest, code }
}

/** Types a code on the page that asks for it. */
export const type = async ({ browser, page }: Guest, mail_code: string): Promise<Visit> =>
  await browser.submit(page, { choice: 'code', mail_code })

/** A code that is not this one. */
export const otherThan = (code: string): string => String((Number(code) + 1) % 100_000_000).padStart(8, '0')
