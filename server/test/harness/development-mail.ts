import { vi } from 'vitest'
import type { TestBrowser, Visit } from './browser.ts'

/** A mail as a service in development shows it to programs. */
export interface Shown {
  id: string
  subject: string
  text: string
  html: string
  to: { address: string }
}

/** The mails of a service in development to one address, newest first. */
export async function shownTo(tessera: { url: string }, address: string): Promise<Shown[]> {
  const answer = await fetch(`${tessera.url}/development/mail`)
  const { mails } = (await answer.json()) as { mails: Shown[] }
  return mails.filter(({ to }) => to.address === address)
}

/** The newest one to an address whose subject has these words, once it is there. */
export async function mailTo(tessera: { url: string }, address: string, words: string): Promise<Shown> {
  return await vi.waitFor(
    async () => {
      const found = (await shownTo(tessera, address)).find(({ subject }) => subject.includes(words))
      if (found === undefined) throw new Error(`There is no mail “${words}” to ${address}.`)
      return found
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** The path and query of the link in a mail. */
export function linkIn({ text }: Shown): string {
  const { pathname, search } = new URL(/^https?:\S+$/m.exec(text)?.[0] ?? '')
  return pathname + search
}

/** The code of the mail that `ask` has sent to an address, once it is there. */
export async function newCode(
  tessera: { url: string },
  address: string,
  ask: () => Promise<unknown>,
): Promise<string> {
  const before = new Set((await shownTo(tessera, address)).map(({ id }) => id))
  await ask()
  return await vi.waitFor(
    async () => {
      const found = (await shownTo(tessera, address)).find(
        ({ id, subject }) => subject === 'Your code' && !before.has(id),
      )
      const [code] = /^\d{8}$/m.exec(found?.text ?? '') ?? []
      if (code === undefined) throw new Error(`There is no code to ${address}.`)
      return code
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** Has a code mailed by the form of a page, before a second factor is set up; yields the code. */
export async function codeByMail(
  tessera: { url: string },
  { browser, page, address }: { browser: TestBrowser; page: Visit; address: string },
): Promise<{ code: string; page: Visit }> {
  let asking = page
  const code = await newCode(tessera, address, async () => {
    asking = await browser.submit(page, { choice: 'send' })
    if (asking.status !== 200) throw new Error(`No code was sent (${asking.status}).`)
  })
  return { code, page: asking }
}

/** Gives the code from a mail, which comes before a second factor; yields the page that sets one up. */
export async function passCode(
  tessera: { url: string },
  given: { browser: TestBrowser; page: Visit; address: string },
): Promise<Visit> {
  const { code, page } = await codeByMail(tessera, given)
  return await given.browser.submit(page, { choice: 'code', mail_code: code })
}
