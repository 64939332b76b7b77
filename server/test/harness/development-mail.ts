import { vi } from 'vitest'

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
