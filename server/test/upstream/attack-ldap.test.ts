/** What a hostile directory must not do to the service. */
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { authorizeRequest } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { shortenTimers } from '../harness/timers.ts'
import { acme, placeOn } from './sign-in-support.ts'

// The end of an attempt.
shortenTimers({ 10_000: 2500 })

/** A directory that lets the service account in, and then says this. */
async function hostile(after: (id: number) => Buffer) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('data', (asked) => {
      const [id, operation] = [asked.readUInt8(4), asked.readUInt8(5)]
      // StartTLS is refused; a bind succeeds.
      if (operation === 0x77) socket.write(Buffer.from([0x30, 12, 2, 1, id, 0x78, 7, 10, 1, 2, 4, 0, 4, 0]))
      else if (operation === 0x60)
        socket.write(Buffer.from([0x30, 12, 2, 1, id, 0x61, 7, 10, 1, 0, 4, 0, 4, 0]))
      else socket.write(after(searchId(asked)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    for (const one of sockets) one.destroy()
    server.close()
  }
  return { url, close }
}

/** The length of a search may take more than one byte. */
const searchId = (asked: Buffer): number =>
  asked[(asked[1] ?? 0) < 0x80 ? 4 : 4 + ((asked[1] ?? 0) & 0x7f)] ?? 0

onOneDatabase('a hostile directory', (dialect) => {
  const place = placeOn(dialect)
  const failed: unknown[] = []
  const fail = (error: unknown) => failed.push(error)
  afterEach(() => process.off('uncaughtException', fail))

  it('ends no process by very many small messages', async () => {
    process.on('uncaughtException', fail)
    const { url, close } = await hostile((id) =>
      Buffer.concat(Array.from({ length: 9000 }, () => Buffer.from([0x30, 5, 2, 1, id, 0x73, 0]))),
    )
    const upstream = await place.make('/upstreams', {
      ...{ code: 'ad', name: 'AD', kind: 'ldap', organisation_uuid: acme, url },
      ...{ bind_dn: 'cn=service,dc=acme', bind_password: 'secret', base: 'dc=acme' },
    })
    const browser = place.browser()
    const page = await browser.open(authorizeRequest().path)
    const id = new URL(page.url).searchParams.get('request') ?? ''
    const form = await browser.open(`/sign-in/directory?request=${id}&upstream=${upstream}`)
    const visit = await browser.submit(form, { name: 'ada', password: 'x' })
    close()
    expect(visit.status).toBeGreaterThanOrEqual(400)
    expect(failed).toEqual([])
  }, 30_000)
})
