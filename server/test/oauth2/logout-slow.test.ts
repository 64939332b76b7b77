import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { claimsOf, people, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { collectGarbage } from '../harness/garbage.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for what is due, and the end of an attempt.
shortenTimers({ 1000: 100, 5000: 2000 })

/** Answers a notice properly, or by a byte now and then and without end. */
class Trickler {
  readonly told: string[] = []
  slow = true
  readonly #sockets = new Set<Socket>()
  readonly #server: Server = createServer((socket) => this.#serve(socket))

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    const address = this.#server.address()
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/backchannel`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    if (this.slow) {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x'), 300)
      socket.on('close', () => clearInterval(timer))
      return
    }
    socket.on('data', (data) => {
      const token = /logout_token=(\S+)/.exec(data.toString())?.[1]
      if (token === undefined) return
      this.told.push(String(claimsOf(token).sid))
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    })
  }
}

const scope = '    scope: openid email profile service.api'
const goodbye = '/oauth2/logout?client_id=submissions-web&post_logout_redirect_uri=http://127.0.0.1:4001/'

onOneDatabase('back-channel logout to a client that trickles', (dialect) => {
  const client = new Trickler()
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect, { settings: { TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES: 'true' } })
    const uri = await client.listen()
    await applyChanged(tessera, [scope, `${scope}\n    backchannel_logout_uri: ${uri}`])
  })
  afterAll(() => client.close())

  const signOut = async () => {
    const browser = new TestBrowser(tessera.url)
    const { id_token: idToken } = await tokensFor(tessera.url, people.importer, { browser })
    await browser.request(goodbye)
    return String(claimsOf(idToken).sid)
  }

  it('holds up no other notice for long, and not the end of the process', async () => {
    await signOut()
    await new Promise((resolve) => setTimeout(resolve, 500))
    collectGarbage()
    client.slow = false
    const second = await signOut()
    // Some seconds; where the machine is busy its first attempt may fail too, and the next comes a while later.
    await vi.waitFor(() => expect(client.told).toContain(second), { timeout: 180_000, interval: 100 })
    client.slow = true
    await signOut()
    await new Promise((resolve) => setTimeout(resolve, 500))
    // Waits for none of it; the test's own time-out would say so.
    await tessera.close()
  }, 300_000)
})
