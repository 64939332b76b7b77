import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import {
  childrenOf,
  cleanUp,
  freePort,
  isRunning,
  pause,
  run,
  secret,
  Serving,
  temporaryFolder,
  TesseraProcess,
} from '../harness/process.ts'

/** What each signal does to what `tessera` starts. How SIGTERM and SIGINT stop a service is in other files too. */

afterAll(cleanUp)

const ofDebuggers = ['SIGUSR1', 'SIGUSR2'] as const

let database: TestDatabase
let environment: Record<string, string>
beforeAll(async () => {
  database = await createDatabase('sqlite')
  environment = { TESSERA_DATABASE_URL: database.url, TESSERA_SECRET: secret, TESSERA_LOG_LEVEL: 'silent' }
})
afterAll(() => database.remove())

/** What is started once: the signals that it has to bear come first, and then the one that ends it. */
function once<T>(start: () => Promise<T>): { (): Promise<T>; anew(): Promise<T> } {
  let started: Promise<T> | undefined
  return Object.assign(async () => await (started ??= start()), {
    /** One that nobody has ended yet. */
    async anew() {
      const found = started ?? start()
      started = undefined
      return await found
    },
  })
}

const single = once(() => Serving.start(environment))
const several = once(async () => {
  const port = await freePort()
  const service = new TesseraProcess(['serve', '--processes', '2'], {
    environment: { ...environment, TESSERA_MODE: 'development', TESSERA_PORT: String(port) },
    group: true,
  })
  await service.prints(/with 2 processes$/m)
  return { service, port }
})
const everything = once(async () => {
  const dev = new TesseraProcess(['dev'], { environment: { TESSERA_PORT: '0' }, group: true })
  await dev.prints(/Stop with Ctrl\+C/)
  return dev
})

/** Sends it to the process, by the number of each of its threads too. */
async function signalled(pid: number, signal: NodeJS.Signals): Promise<void> {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number)
  for (const one of [pid, ...threads]) {
    process.kill(one, signal)
    await pause(5)
  }
}

/** Signs in, so that the thread that checks passwords runs. */
async function signIns(url: string, count: number): Promise<Promise<string>[]> {
  const browsers = Array.from({ length: count }, () => new TestBrowser(url))
  const pages = await Promise.all(browsers.map((browser) => browser.open(authorizeRequest().path)))
  return browsers.map(async (browser, index) => {
    const page = pages[index]
    if (page === undefined) throw new Error('There is a page for each browser.')
    const { status, location } = await browser.submitOnce(page, people.importer)
    return `${status} ${location?.includes('/continue')}`
  })
}

describe('SIGUSR1 and SIGUSR2', () => {
  it('change nothing in a service, whose debugger stays closed', async () => {
    const serving = await single()
    expect(await Promise.all(await signIns(serving.url, 1))).toEqual(['303 true'])
    for (const signal of ofDebuggers) {
      await signalled(serving.pid, signal)
      expect((await fetch(`${serving.url}/oauth2/jwks`)).status).toBe(200)
    }
    expect(serving.stderr).toBe('')
  })

  it('nor in one of several processes', async () => {
    const { service, port } = await several()
    const children = childrenOf(service.pid)
    expect(children).toHaveLength(2)
    for (const signal of ofDebuggers) {
      for (const pid of [service.pid, ...children]) await signalled(pid, signal)
      expect((await fetch(`http://localhost:${port}/oauth2/jwks`)).status).toBe(200)
      expect(childrenOf(service.pid)).toEqual(children)
    }
    expect(service.stderr).toBe('')
  })

  it('nor in what runs on this machine to try everything', async () => {
    const dev = await everything()
    const children = childrenOf(dev.pid)
    expect(children).toHaveLength(2)
    for (const signal of ofDebuggers) {
      for (const pid of [dev.pid, ...children]) await signalled(pid, signal)
      expect(childrenOf(dev.pid)).toEqual(children)
    }
    expect(dev.stderr).toBe('')
  })

  it('nor in a command', async () => {
    const hook = new TesseraProcess(['audit', 'tail'], { environment })
    await hook.prints(/\S/)
    for (const signal of ofDebuggers) {
      await signalled(hook.pid, signal)
      expect([isRunning(hook.pid), hook.stderr]).toEqual([true, ''])
    }
    await hook.stop('SIGKILL')
  })
})

describe('a debugger that is open', () => {
  it.each([{ NODE_OPTIONS: '--inspect=127.0.0.1:0' }])('is refused in production: %j', async (options) => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'secret'), secret)
    const settings = { TESSERA_ISSUER: 'https://id.acme.example', TESSERA_SECRET_FILE: 'secret', ...options }
    for (const words of [['serve'], ['serve', '--processes', '2']]) {
      const ended = await run(words, { cwd: folder, environment: { TESSERA_PORT: '4999', ...settings } })
      expect(ended).toMatchObject({ code: 1, stdout: '' })
      expect(ended.complaints.filter((one) => one.startsWith('tessera: '))).toEqual([
        expect.stringMatching(/debugger is open.*NODE_OPTIONS.*TESSERA_MODE=development/),
      ])
    }
  })

  it('is for whoever develops', async () => {
    const serving = await Serving.start({ ...environment, NODE_OPTIONS: '--inspect=127.0.0.1:0' })
    expect(await serving.stop()).toMatchObject({ code: 0 })
  })
})

describe('a signal to stop', () => {
  // A terminal that closes sends SIGHUP, and its shell another one; systemd can send one after SIGTERM. Ctrl+C comes
  // from the terminal and once more from npm.
  it.each<NodeJS.Signals[][]>([
    [['SIGQUIT']],
    [['SIGHUP', 'SIGHUP']],
    [['SIGTERM', 'SIGHUP', 'SIGTERM', 'SIGTERM']],
    [['SIGINT', 'SIGINT']],
  ])('lets what is asked finish: %s', async (signals) => {
    const serving = await single.anew()
    const answers = await signIns(serving.url, 4)
    await Promise.race(answers)
    for (const signal of signals) {
      serving.signal(signal)
      await pause(20)
    }
    expect(await Promise.all(answers)).toEqual(answers.map(() => '303 true'))
    expect(await serving.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(['SIGHUP', 'SIGQUIT'] as const)('ends several processes: %s', async (signal) => {
    const { service } = await several.anew()
    const children = childrenOf(service.pid)
    expect(await service.stopGroup(signal)).toMatchObject({ code: 0, stderr: '' })
    expect(children.filter(isRunning)).toEqual([])
  })

  it('ends everything that is tried on this machine, as when its terminal is closed', async () => {
    const dev = await everything.anew()
    const children = childrenOf(dev.pid)
    expect(await dev.stopGroup('SIGHUP')).toMatchObject({ code: 0, stderr: '' })
    expect(children.filter(isRunning)).toEqual([])
  })

  it('that comes again by Ctrl+C ends it at once', async () => {
    const serving = await Serving.start(environment)
    // Somebody asks whether it is ready: so it would wait for whoever asks to learn of it.
    expect((await fetch(`${serving.url}/health/ready`)).status).toBe(200)
    serving.signal('SIGINT')
    await pause(1000)
    expect(isRunning(serving.pid)).toBe(true)
    const began = performance.now()
    expect(await serving.stop('SIGINT')).toMatchObject({ code: 1 })
    // Otherwise it takes new connections for four seconds, of which one is over.
    expect(performance.now() - began).toBeLessThan(2900)
  })
})
