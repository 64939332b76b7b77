import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { cleanUp, pause, run, TesseraProcess, temporaryFolder } from '../harness/process.ts'

/** `npm start`. One test needs the ports that it has unless told, so it waits for whoever has them. */

const usual = [4000, 4001, 4002]
const running = /Stop with Ctrl\+C/

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

async function allFree(ports: readonly number[], patience: number): Promise<void> {
  const until = Date.now() + patience
  for (const port of ports) {
    while (!(await isFree(port))) {
      if (Date.now() > until) throw new Error(`Port ${port} is taken; this test needs it.`)
      await pause(200)
    }
  }
}

/** Three in a row that nobody has. */
async function threePorts(): Promise<[number, number, number]> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000)
    const ports: [number, number, number] = [first, first + 1, first + 2]
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return ports
  }
}

async function startElsewhere(): Promise<{ dev: TesseraProcess; folder: string; first: number }> {
  const folder = temporaryFolder()
  const [first] = await threePorts()
  writeFileSync(join(folder, 'database'), 'sqlite:elsewhere.sqlite\n')
  const environment = { TESSERA_PORT: String(first), TESSERA_DATABASE_URL_FILE: 'database' }
  const dev = new TesseraProcess(['dev'], { cwd: folder, environment })
  await dev.prints(running)
  return { dev, folder, first }
}

describe('npm start', () => {
  let cwd: string
  beforeEach(() => {
    cwd = temporaryFolder()
  })
  /** One whose data lie where a file says, for two tests. */
  let another: ReturnType<typeof startElsewhere> | undefined
  const elsewhere = () => (another ??= startElsewhere())

  it.each(['usual', 'other'])(
    'runs everything, says where and as whom, and ends as a whole: on %s ports',
    async (which) => {
      const ports = which === 'usual' ? usual : await threePorts()
      const environment: Record<string, string> = which === 'usual' ? {} : { TESSERA_PORT: String(ports[0]) }
      const [service, web, api] = ports
      const folder = which === 'usual' ? 'data' : `data/${service}`
      // The second time on the data of the first.
      for (const signal of which === 'usual' ? (['SIGTERM', 'SIGINT'] as const) : (['SIGINT'] as const)) {
        await allFree(ports, 60_000)
        const dev = new TesseraProcess(['dev'], { cwd, environment })
        await dev.prints(running)
        for (const port of ports) expect(dev.stdout).toContain(`http://localhost:${port}`)
        for (const [shown] of dev.stdout.matchAll(/http:\/\/localhost:[^\s,]+/g))
          expect([shown, (await fetch(shown)).status]).not.toEqual([shown, 404])
        expect(dev.stdout).toContain(`Data is in ${folder}/;`)
        expect(dev.stdout).toMatch(
          /mara\.lind@acme\.example\s+mara-development-password\s+importer · acme · intake/,
        )
        expect(dev.stdout).toMatch(/tomas\.novak@acme\.example .* nobody: is told so/)
        const page = await fetch(`http://localhost:${web}/`)
        expect([page.status, await page.text()]).toEqual([
          200,
          expect.stringMatching(/<a[^>]*>\s*Sign in\s*<\/a>/),
        ])
        const asked = await fetch(`http://localhost:${web}/sign-in`, { redirect: 'manual' })
        const authorize = asked.headers.get('location') ?? ''
        expect(authorize).toMatch(new RegExp(`^http://localhost:${service}/oauth2/authorize\\?`))
        // The client is registered where its application is: people see the page to sign in, and no refusal.
        const signIn = await fetch(authorize, { redirect: 'manual' })
        expect([signIn.status, signIn.headers.get('location')]).toEqual([
          303,
          expect.stringMatching(/^\/(?!.*error)/),
        ])
        // So is the interface description: what is wrong with its request is told at its address.
        const documentation = `http://localhost:${service}/api/doc/oauth2-redirect`
        const form = new URLSearchParams({ client_id: 'tessera:api-doc', redirect_uri: documentation })
        const told = await fetch(`http://localhost:${service}/oauth2/authorize?${form}`, {
          redirect: 'manual',
        })
        expect(told.headers.get('location')).toMatch(/\/api\/doc\/oauth2-redirect\?error=/)
        expect(await (await fetch(`http://localhost:${api}/health`)).json()).toEqual({ status: 'ok' })

        expect(await dev.stop(signal)).toMatchObject({ code: 0, stderr: '' })
        // The children are gone when the command is.
        for (const port of ports) expect(await isFree(port)).toBe(true)
      }
      expect(readdirSync(join(cwd, folder))).toEqual(
        expect.arrayContaining([
          'tessera.sqlite',
          'tessera.secret',
          'submissions.sqlite',
          'submissions-web.sqlite',
        ]),
      )
    },
  )

  it('gives a machine the token that it says, which the API takes, and runs beside another one', async () => {
    const { dev: second, folder } = await elsewhere()
    const [first] = await threePorts()
    const dev = new TesseraProcess(['dev'], { cwd: folder, environment: { TESSERA_PORT: String(first) } })
    await dev.prints(running)
    // The command is told where these data are: left alone it takes those of the usual ports.
    const [, url = ''] = /TESSERA_DATABASE_URL=(sqlite:\S+)/.exec(dev.stdout) ?? []
    const listed = await run(['user', 'list'], {
      cwd: folder,
      environment: { TESSERA_DATABASE_URL: url },
    })
    expect(url).toBe(`sqlite:data/${first}/tessera.sqlite`)
    expect(listed.stdout).toContain('mara.lind@acme.example')
    for (const one of [dev, second]) {
      const [command = ''] = /http\S+\/oauth2\/token -d .*\\\n.*/.exec(one.stdout) ?? []
      const [address = ''] = command.split(' ')
      const form = [...command.matchAll(/-d (\S+)/g)].map(([, field = '']) => field).join('&')
      const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(form) })
      const { access_token: token } = (await answer.json()) as { access_token?: string }
      const [, api = ''] = /the protected API\s+(http\S+)/.exec(one.stdout) ?? []
      const imports = `${api}/submissions/vista-import`
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
      const body = `reference,title,submitter_email,submitted_at,category\nA-1,Soil,ada@acme.example,2024-05-31,report\n`
      expect((await fetch(imports, { method: 'POST', headers, body })).status).toBe(201)
      // It may import and not look.
      expect((await fetch(imports, { headers })).status).toBe(403)
    }
    await dev.stop()
  })

  it.each([0, 1, 2])(
    'says which port is taken, the one %i after the first, and touches nothing',
    async (offset) => {
      const ports = await threePorts()
      const [first] = ports
      const port = first + offset
      const other = await hold(port)
      // It answers, as another application would: that must not be mistaken for ours.
      other.on('connection', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'))
      const database = join(cwd, 'shared.sqlite')
      const environment = { TESSERA_PORT: String(first), TESSERA_DATABASE_URL: `sqlite:${database}` }
      const { code, stdout, complaints } = await run(['dev'], { cwd, environment })
      await closed(other)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(complaints).toEqual([
        expect.stringMatching(
          `^tessera: Port ${port} is taken, .*lsof -i :${port} .*TESSERA_PORT=${first + 10} .*${first + 12}`,
        ),
      ])
      expect(existsSync(database)).toBe(false)
      for (const one of ports) expect(await isFree(one)).toBe(true)
    },
  )

  it('names the port of the service where all three are taken, as by another of these', async () => {
    const ports = await threePorts()
    const others = await Promise.all(ports.map(hold))
    const { code, complaints } = await run(['dev'], { cwd, environment: { TESSERA_PORT: String(ports[0]) } })
    await Promise.all(others.map(closed))
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: [expect.stringMatching(`^tessera: Port ${ports[0]} is taken, `)],
    })
  })

  it('keeps its data where the file of TESSERA_DATABASE_URL_FILE says', async () => {
    const { dev, folder, first } = await elsewhere()
    expect(await dev.stop()).toMatchObject({ code: 0 })
    expect(existsSync(join(folder, 'elsewhere.sqlite'))).toBe(true)
    expect(existsSync(join(folder, `data/${first}/tessera.sqlite`))).toBe(false)
  })

  it('refuses a port after which there are no two', async () => {
    const { code, complaints } = await run(['dev'], { cwd, environment: { TESSERA_PORT: '65534' } })
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: [expect.stringContaining('TESSERA_PORT leaves no room for two more')],
    })
  })
})
