/** Who cuts the connection at once gets no answer, and is no less known for that. */
import { connect } from 'node:net'
import { expect, it, vi } from 'vitest'
import { authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { auditOf, throttleKeys } from '../harness/states.ts'
import { wrong } from '../identity/throttling-support.ts'

/** When the connection is reset: with the request, when the system has taken that, while the password is checked. */
const moments = ['with it', 'when it is written', 'a moment later'] as const

onOneDatabase('a connection that is cut', (dialect) => {
  const tessera = tesseraOn(dialect)

  /** Sends the form of the sign-in page, and resets the connection. */
  async function guess(moment: (typeof moments)[number]): Promise<void> {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
    const body = new URLSearchParams({ csrf, ...wrong(people.both) }).toString()
    const { hostname, host, port, pathname, search } = new URL(page.url)
    const head = {
      Host: host,
      Origin: tessera.url,
      Cookie: browser.cookieHeader(),
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': body.length,
    }
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.once('connect', resolve))
    const written = new Promise((resolve) =>
      socket.write(`POST ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, resolve),
    )
    if (moment !== 'with it') await written
    if (moment === 'a moment later') await new Promise((resolve) => setTimeout(resolve, 3))
    socket.resetAndDestroy()
  }

  const failures = () => auditOf(tessera, { kind: 'sign_in.failed' })

  it('hides nobody who guesses a password: it is counted and recorded by the address, or not checked', async () => {
    for (let round = 0; round < 2; round++) for (const moment of moments) await guess(moment)
    // The last of them came in time, so all before it are over when it is.
    await vi.waitFor(async () => expect(await failures()).not.toEqual([]), { timeout: 60_000 })
    await new Promise((resolve) => setTimeout(resolve, 200))
    const addresses = (await failures()).map(({ address }) => address)
    expect(addresses.filter((address) => address !== '127.0.0.1' && address !== '::1')).toEqual([])
    expect((await throttleKeys(tessera)).filter((key) => key.includes('undefined'))).toEqual([])
  })
})
