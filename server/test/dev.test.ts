import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUp, pause, run, TesseraProcess, temporaryFolder } from './process.ts'

/** `npm start`: the one test that needs the ports of the examples, so it waits for whoever has them. */

const ports = [4000, 4001, 4002]
const running = /Stop with Ctrl\+C/

beforeAll(() => allFree(60_000))
afterAll(cleanUp)

/** Listens on a port of the examples; fails when it is taken. */
async function hold(port: number): Promise<net.Server> {
  const server = net.createServer()
  // Where the API listens; what takes `localhost` takes this as well.
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const closed = (server: net.Server) => new Promise((resolve) => server.close(resolve))

async function isFree(port: number): Promise<boolean> {
  try {
    await closed(await hold(port))
    return true
  } catch {
    return false
  }
}

async function allFree(patience: number): Promise<void> {
  const until = Date.now() + patience
  for (const port of ports) {
    while (!(await isFree(port))) {
      if (Date.now() > until) throw new Error(`Port ${port} is taken; this test needs it.`)
      await pause(200)
    }
  }
}

describe('npm start', () => {
  let cwd: string
  beforeEach(() => {
    cwd = temporaryFolder()
  })

  it('runs everything, says where and as whom, and ends as a whole', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const dev = new TesseraProcess(['dev'], { cwd })
      await dev.prints(running)
      for (const port of ports) expect(dev.stdout).toContain(`http://localhost:${port}`)
      for (const [shown] of dev.stdout.matchAll(/http:\/\/localhost:[^\s,]+/g))
        expect([shown, (await fetch(shown)).status]).not.toEqual([shown, 404])
      expect(dev.stdout).toMatch(
        /mara\.lind@acme\.example\s+│ mara-development-password\s+│ importer · acme · intake/,
      )
      expect(dev.stdout).toMatch(/tomas\.novak@acme\.example .* nobody: is told so/)
      const page = await fetch('http://localhost:4001/')
      expect([page.status, await page.text()]).toEqual([
        200,
        expect.stringMatching(/<a[^>]*>\s*Sign in\s*<\/a>/),
      ])
      const asked = await fetch('http://localhost:4001/sign-in', { redirect: 'manual' })
      expect(asked.headers.get('location')).toMatch(/^http:\/\/localhost:4000\/oauth2\/authorize\?/)
      expect(await (await fetch('http://localhost:4002/health')).json()).toEqual({ status: 'ok' })

      expect(await dev.stop(signal)).toMatchObject({ code: 0, stderr: '' })
      // The children are gone when the command is.
      for (const port of ports) expect(await isFree(port)).toBe(true)
    }
    expect(readdirSync(join(cwd, 'data'))).toEqual(
      expect.arrayContaining(['tessera.sqlite', 'tessera.secret']),
    )
  })

  it('gives a machine the token that it says, which the API takes', async () => {
    const dev = new TesseraProcess(['dev'], { cwd })
    await dev.prints(running)
    const [command = ''] = /http\S+\/oauth2\/token -d .*\\\n.*/.exec(dev.stdout) ?? []
    const [address = ''] = command.split(' ')
    const form = [...command.matchAll(/-d (\S+)/g)].map(([, field = '']) => field).join('&')
    const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(form) })
    const { access_token: token } = (await answer.json()) as { access_token?: string }
    const imports = 'http://localhost:4002/submissions/vista-import'
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
    const body = `reference,title,submitter_email,submitted_at,category\nA-1,Soil,ada@acme.example,2024-05-31,report\n`
    expect((await fetch(imports, { method: 'POST', headers, body })).status).toBe(201)
    // It may import and not look.
    expect((await fetch(imports, { headers })).status).toBe(403)

    const second = await run(['dev'], { cwd: temporaryFolder() })
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.complaints).toEqual([expect.stringMatching(/^tessera: The port is taken: /)])
    await dev.stop()
  })

  it.each([4001, 4002])('says that port %i is taken, and leaves nothing running', async (port) => {
    const other = await hold(port)
    // It answers, as another application would: that must not be mistaken for ours.
    other.on('connection', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
    const { code, stdout, complaints } = await run(['dev'], { cwd })
    await closed(other)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(complaints).toEqual([
      expect.stringMatching(/did not start: .*EADDRINUSE/),
      'tessera: An example could not start; ports 4001 and 4002 must be free.',
    ])
    for (const one of ports) expect(await isFree(one)).toBe(true)
  })
})
