import { authorizeRequest, TestBrowser } from '../../server/test/harness/browser.ts'
import { pause } from '../../server/test/harness/process.ts'
import { shortened } from '../history.ts'
import type { Racers } from './racers.ts'

/** One race of many against each other. `random` decides the order and the small delays. */
export type Round = (racers: Racers, parallel: number, random: () => number) => Promise<void>

/** Starts `parallel` of something: most at once, some a little later, each at a process that chance chooses. */
async function together<T>(
  parallel: number,
  random: () => number,
  work: (process: number, index: number) => Promise<T>,
): Promise<T[]> {
  const starts = Array.from({ length: parallel }, () => ({
    process: Math.floor(random() * 2),
    delay: random() < 0.8 ? 0 : Math.floor(random() * 10),
  }))
  return await Promise.all(
    starts.map(async ({ process, delay }, index) => {
      if (delay > 0) await pause(delay)
      return await work(process, index)
    }),
  )
}

/** One code by many exchanges: one success, and what it gave is revoked by the others (RFC 6749 §4.1.2). */
export const oneCode: Round = async (racers, parallel, random) => {
  const exchange = await racers.code()
  await together(parallel, random, (process) => racers.exchange(process, exchange))
}

/** One refresh token by many: one successor, which works. */
export const oneRefreshToken: Round = async (racers, parallel, random) => {
  const exchange = await racers.code()
  const family = exchange.code ?? ''
  const first = await racers.exchange(0, exchange)
  const answers = await together(parallel, random, (process) => {
    return racers.refresh(process, first.json.refresh_token ?? '', family)
  })
  await racers.refresh(1, answers[0]?.json.refresh_token ?? '', family)
}

/** Revocation against refresh: whatever came first, afterwards nothing of the family works. */
export const revokeAgainstRefresh: Round = async (racers, parallel, random) => {
  const exchange = await racers.code()
  const family = exchange.code ?? ''
  const first = await racers.exchange(0, exchange)
  const token = first.json.refresh_token ?? ''
  const revokedBy = Math.floor(random() * parallel)
  const answers = await together(parallel, random, (process, index) => {
    return index === revokedBy
      ? racers.revoke(process, token, family)
      : racers.refresh(process, token, family)
  })
  await pause(2)
  const successor = answers.find(({ json }) => json.refresh_token !== undefined)?.json.refresh_token
  for (const process of [0, 1]) {
    await racers.refresh(process, token, family)
    if (successor !== undefined) await racers.refresh(process, successor, family)
  }
}

/** Wrong passwords for one account, all at once. */
export const guesses: Round = async (racers, parallel, random) => {
  const email = `nobody-${Math.floor(random() * 1e12)}@acme.example`
  const pages = await Promise.all(
    racers.services.map(async ({ url }) => {
      const browser = new TestBrowser(racers.issuer)
      // A form of the issuer, answered by either process.
      const page = await browser.open(authorizeRequest().path)
      return { browser, page: { ...page, url: page.url.replace(racers.issuer, url) } }
    }),
  )
  await together(parallel, random, async (process) => {
    const { browser, page } = pages[process] ?? pages[0] ?? { browser: undefined, page: undefined }
    if (browser === undefined || page === undefined) throw new Error('There is no page.')
    const began = Date.now()
    const { status } = await browser.submitOnce(page, { email, password: 'not the password' })
    const { round, history } = racers
    history.add({ round, kind: 'guess', subject: shortened(email), began, ended: Date.now(), status })
  })
}
