import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, onOneDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, freePort, pause, Serving, TesseraProcess } from '../harness/process.ts'
import { machine } from '../harness/program.ts'

afterAll(cleanUp)

interface Answered {
  status: number
  /** Whether the service said that it won't take another request on this connection. */
  last: boolean
}

/** Between an answer and the next request, ms: some of them are under way at any moment, and a core is left for the rest. */
const breath = 20

/** A client that asks again when it is answered, over one connection as long as the service keeps it. */
class Asking {
  readonly answers: Answered[] = []
  /** What went wrong, other than that nobody listens any more. */
  readonly failures: string[] = []
  /** Of these, on a connection that the service had kept. */
  readonly cutOff: string[] = []
  readonly done: Promise<void>

  constructor(url: string, path: string, form?: Record<string, string>) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    this.done = this.#run(agent, url, path, form).finally(() => agent.destroy())
  }

  async #run(agent: Agent, url: string, path: string, form?: Record<string, string>): Promise<void> {
    for (;;) {
      try {
        this.answers.push(await ask(agent, url, path, form))
        await pause(breath)
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
        if (code !== 'ECONNREFUSED') this.failures.push(code)
        if (error instanceof OnKeptConnection) this.cutOff.push(code)
        return
      }
    }
  }
}

class OnKeptConnection extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

async function ask(
  agent: Agent,
  url: string,
  path: string,
  form?: Record<string, string>,
): Promise<Answered> {
  const body = form && new URLSearchParams(form).toString()
  return await new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
    })
    asked.on('error', (error: NodeJS.ErrnoException) =>
      reject(asked.reusedSocket ? new OnKeptConnection(error.code ?? error.message) : error),
    )
    asked.on('response', (answer) => {
      answer.on('error', reject)
      const last = answer.headers.connection === 'close'
      answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, last }))
    })
    asked.end(body)
  })
}

onOneDatabase('SIGTERM under load', (dialect) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase(dialect)
  })
  afterAll(() => database.remove())

  const settings = () => ({
    TESSERA_DATABASE_URL: database.url,
    TESSERA_HOST: '127.0.0.1',
    TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    TESSERA_LOG_LEVEL: 'silent',
  })
  const serve = () => Serving.start(settings())

  it('turns readiness first, answers all that is asked, resets nobody, and ends in time', async () => {
    const serving = await serve()
    const form = { grant_type: 'client_credentials', ...machine }
    const clients = Array.from({ length: 8 }, () => new Asking(serving.url, '/oauth2/token', form))
    const balancer = new Asking(serving.url, '/health/ready')
    const prober = new Asking(serving.url, '/health/live')
    while (clients.some((one) => one.answers.length < 10)) await pause(10)
    const before = clients.reduce((sum, one) => sum + one.answers.length, 0)
    expect(balancer.answers.at(-1)).toEqual({ status: 200, last: false })

    const began = performance.now()
    const ended = serving.stop()
    await Promise.all([...clients, balancer, prober].map((one) => one.done))
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(performance.now() - began).toBeLessThan(12_000)

    const tokens = clients.flatMap((one) => one.answers)
    expect(clients.flatMap((one) => one.failures)).toEqual([])
    expect(new Set(tokens.map(({ status }) => status))).toEqual(new Set([200]))
    // It served on while the balancer learned of it, and told each client to go elsewhere.
    expect(tokens.length).toBeGreaterThan(before)
    expect(clients.every((one) => one.answers.at(-1)?.last)).toBe(true)
    expect(balancer.failures).toEqual([])
    expect(balancer.answers.at(-1)).toEqual({ status: 503, last: true })
    // Not ready is not dead: nothing must restart it now.
    expect(new Set(prober.answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  it('ends soon after the last of those who asked has gone', async () => {
    const serving = await serve()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(agent, serving.url, '/oauth2/jwks')).toEqual({ status: 200, last: false })
    const began = performance.now()
    expect(await serving.stop()).toMatchObject({ code: 0, stderr: '' })
    // Otherwise it takes new connections for four seconds.
    expect(performance.now() - began).toBeLessThan(3900)
    agent.destroy()
  })

  it('waits for whoever asks now and then whether it is ready, and takes what they send until they know', async () => {
    const serving = await serve()
    const probe = () => fetch(`${serving.url}/health/ready`, { headers: { connection: 'close' } })
    expect((await probe()).status).toBe(200)
    const ended = serving.stop()
    await pause(600)
    // Still sent here, over a connection that is opened now.
    const sent = await fetch(`${serving.url}/oauth2/jwks`, { headers: { connection: 'close' } })
    expect(sent.status).toBe(200)
    const told = await probe()
    expect([told.status, await told.json()]).toEqual([503, { status: 'not ready', problem: 'stopping' }])
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('takes what a balancer sends until it asks again, because it acts on an answer by then', async () => {
    const serving = await serve()
    const fresh = new Agent({ keepAlive: false })
    expect((await ask(fresh, serving.url, '/health/ready')).status).toBe(200)
    const ended = serving.stop()
    await pause(100)
    expect((await ask(fresh, serving.url, '/health/ready')).status).toBe(503)
    for (let times = 0; times < 3; times++) {
      await pause(300)
      expect((await ask(fresh, serving.url, '/oauth2/jwks')).status).toBe(200)
    }
    expect((await ask(fresh, serving.url, '/health/ready')).status).toBe(503)
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('answers on a connection that it kept where the client was held up between two requests', async () => {
    const serving = await serve()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await ask(agent, serving.url, '/oauth2/jwks')).toEqual({ status: 200, last: false })
    const ended = serving.stop()
    await pause(400)
    expect(await ask(agent, serving.url, '/oauth2/jwks')).toEqual({ status: 200, last: true })
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    agent.destroy()
  })

  // What arrives while a process is not let run waits in the kernel, and is no quiet.
  it('resets nobody where it is seldom let run', { retry: 2 }, async () => {
    const serving = await serve()
    const clients = Array.from({ length: 8 }, () => new Asking(serving.url, '/oauth2/jwks'))
    while (clients.some((one) => one.answers.length < 10)) await pause(10)
    const ended = serving.stop()
    const all = Promise.all(clients.map((one) => one.done))
    let asking = true
    void all.then(() => (asking = false))
    while (asking) {
      serving.signal('SIGSTOP')
      await pause(150)
      serving.signal('SIGCONT')
      // By its own count: beside others it would hardly run at all meanwhile.
      await ranFor(serving.pid, 1 + Math.random() * 4)
    }
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    expect(clients.flatMap((one) => one.failures)).toEqual([])
  })

  // Ctrl+C is one signal to all of them, and so is the end of a unit of systemd.
  it.each(['SIGINT', 'SIGTERM'] as const)(
    '%s to a whole group of processes lets each finish what it is asked',
    async (signal) => {
      const port = await freePort('127.0.0.1')
      const url = `http://127.0.0.1:${port}`
      const environment = { ...settings(), TESSERA_MODE: 'development', TESSERA_PORT: String(port) }
      const group = new TesseraProcess(['serve', '--processes', '2'], { environment, group: true })
      await group.prints(/^tessera listens/m)
      const form = { grant_type: 'client_credentials', ...machine }
      const clients = Array.from({ length: 6 }, () => new Asking(url, '/oauth2/token', form))
      while (clients.some((one) => one.answers.length < 5)) await pause(10)
      const before = clients.reduce((sum, one) => sum + one.answers.length, 0)
      const ended = group.stopGroup(signal)
      await Promise.all(clients.map((one) => one.done))
      expect(await ended).toMatchObject({ code: 0, stderr: '' })
      // One that is being opened while the last of them ends may be reset instead of refused; none that was kept.
      expect(clients.flatMap((one) => one.cutOff)).toEqual([])
      const answers = clients.flatMap((one) => one.answers)
      expect(answers.length).toBeGreaterThan(before)
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    },
  )
})

/** Waits until a process has had so many ms of a core, or has ended. */
async function ranFor(pid: number, milliseconds: number): Promise<void> {
  const ran = () => {
    try {
      return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
    } catch {
      return Infinity
    }
  }
  const enough = ran() + milliseconds
  for (let waited = 0; ran() < enough && waited < 200; waited++) await pause(1)
}
