import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { openExisting } from '../../dist/database/open.js'
import { authorizeRequest, people, post, TestBrowser } from '../harness/browser.ts'
import { askAndCut } from '../http/cut-off-support.ts'
import { createDatabase, onOneDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, run, secret, Serving, temporaryFolder } from '../harness/process.ts'
import { machine } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { testKeeper } from '../harness/stores.ts'

/** The service as it is operated: a process with an environment, signals and an exit code. */

afterAll(cleanUp)

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

/** A service from its start to its end, once; two tests look at each. */
function life(signal: NodeJS.Signals, environment: Record<string, string>) {
  const live = async () => {
    const folder = temporaryFolder()
    const serving = await Serving.start({ TESSERA_LOG_LEVEL: 'silent', ...environment }, folder)
    const answer = await fetch(`${serving.url}/.well-known/openid-configuration`)
    return { serving, folder, document: await answer.json(), ended: await serving.stop(signal) }
  }
  let lived: ReturnType<typeof live> | undefined
  return async () => await (lived ??= live())
}

describe('tessera serve', () => {
  const inFile = { TESSERA_DATABASE_URL: 'sqlite:kept/here.sqlite', TESSERA_SECRET: '' }
  const filed = life('SIGTERM', inFile)
  const inMemory = life('SIGINT', { TESSERA_DATABASE_URL: 'sqlite::memory:' })

  it('says in one line when it listens, and ends at SIGTERM and SIGINT with 0', async () => {
    for (const lived of [filed, inMemory]) {
      const { serving, document, ended } = await lived()
      expect(new URL(serving.url).port).not.toBe('0')
      expect(serving.issuer).toBe(serving.url)
      expect(document).toMatchObject({ issuer: serving.issuer })
      const { code, stdout, stderr } = ended
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toBe(`tessera listens on ${serving.url} as ${serving.issuer}\n`)
    }
  })

  it('in development leaves nothing behind of a database in memory', async () => {
    const { folder, ended } = await inMemory()
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('in development keeps a generated secret beside the database, both for their owner alone', async () => {
    const { folder: cwd } = await filed()
    const path = join(cwd, 'kept/tessera.secret')
    const generated = readFileSync(path, 'utf8')
    expect(generated).toMatch(/^[A-Za-z0-9_-]{43}\n$/)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(cwd, 'kept/here.sqlite')).mode & 0o777).toBe(0o600)
    // The keys still open: it is read again, not made anew.
    expect(await (await Serving.start(inFile, cwd)).stop()).toMatchObject({ code: 0 })
    expect(readFileSync(path, 'utf8')).toBe(generated)
  })

  it.each([
    ['', {}],
    [' and metrics are served', { TESSERA_METRICS_PORT: '45871' }],
  ])('says what to do when the port is taken%s', async (_, more) => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const environment = {
      TESSERA_MODE: 'development',
      TESSERA_PORT: port,
      TESSERA_LOG_LEVEL: 'silent',
      ...more,
    }
    const { code, stdout, complaints } = await run(['serve'], { environment })
    other.close()
    expect({ code, stdout, lines: complaints.length }).toEqual({ code: 1, stdout: '', lines: 1 })
    expect(complaints[0]).toMatch(/^tessera: The port is taken: .*TESSERA_PORT.*EADDRINUSE/)
    expect(complaints[0]).toContain(port)
  })

  it('says which port is taken when it is that of the metrics', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const environment = { TESSERA_MODE: 'development', TESSERA_PORT: '0', TESSERA_METRICS_PORT: port }
    const { code, stdout, complaints } = await run(['serve'], { environment })
    other.close()
    expect({ code, stdout, lines: complaints.length }).toEqual({ code: 1, stdout: '', lines: 1 })
    expect(complaints[0]).toMatch(
      /^tessera: The port for metrics is taken: .*TESSERA_METRICS_PORT to another \(.*EADDRINUSE/,
    )
  })

  it('takes what its settings say', async () => {
    const serving = await Serving.start({
      TESSERA_DECLARED: acme,
      TESSERA_HOST: '127.0.0.1',
      TESSERA_ISSUER: 'https://id.acme.example',
      TESSERA_DOCS_URL: 'https://docs.acme.example',
      TESSERA_ACCESS_TOKEN_LIFETIME: '77',
      TESSERA_LIMIT_CLIENT_AUTH: '1',
      TESSERA_TRUSTED_PROXIES: '127.0.0.0/8',
    })
    expect(serving).toMatchObject({ issuer: 'https://id.acme.example' })
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const document = await fetch(`${serving.url}/.well-known/openid-configuration`)
    expect(await document.json()).toMatchObject({
      token_endpoint: 'https://id.acme.example/oauth2/token',
      service_documentation: 'https://docs.acme.example/api/doc',
    })
    const form = { grant_type: 'client_credentials', ...machine }
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    expect((await post(`${serving.url}/oauth2/token`, form, forwarded)).json).toMatchObject({
      expires_in: 77,
    })
    const wrong = { ...form, client_secret: 'wrong' }
    expect((await post(`${serving.url}/oauth2/token`, wrong, forwarded)).status).toBe(401)
    expect((await post(`${serving.url}/oauth2/token`, wrong, forwarded)).status).toBe(429)
    const { stdout } = await serving.stop()
    expect(stdout).toMatch(/"path":"\/oauth2\/token","status":401,.*"address":"203\.0\.113\.7"/)
  })

  it('is told that it is not built, instead of a stack', async () => {
    const bin = join(temporaryFolder(), 'bin')
    cpSync(new URL('../../bin', import.meta.url), bin, { recursive: true })
    const { code, complaints } = await run([], { command: join(bin, 'tessera.cjs') })
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: ['tessera: it is not built yet. Run: npm run build'],
    })
  })
})

onOneDatabase('a start that finds its port taken', (dialect) => {
  it.each([
    ['the port', 'TESSERA_PORT', ['serve']],
    ['the port of several processes', 'TESSERA_PORT', ['serve', '--processes', '2']],
    ['the port of the metrics', 'TESSERA_METRICS_PORT', ['serve']],
  ])('changes nothing in the database: %s', async (_, setting, words) => {
    const database = await createDatabase(dialect, 'empty')
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve))
    const address = other.address()
    const environment = {
      TESSERA_MODE: 'development',
      TESSERA_PORT: '0',
      TESSERA_SECRET: secret,
      TESSERA_DATABASE_URL: database.url,
      TESSERA_DECLARED: acme,
      [setting]: typeof address === 'object' ? String(address?.port) : '',
    }
    const { code, complaints } = await run(words, { environment })
    other.close()
    expect({ code, complaints }).toEqual({ code: 1, complaints: [expect.stringContaining(setting)] })
    // It has not even made its tables.
    expect(await openExisting(database.url, testKeeper)).toBeUndefined()
    await database.remove()
  })
})

onOneDatabase('another secret', (dialect) => {
  it('than the one the keys were encrypted with is refused in words, and the keys stay', async () => {
    const database = await createDatabase(dialect)
    const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_LOG_LEVEL: 'silent' }
    const other = { ...environment, TESSERA_MODE: 'development', TESSERA_PORT: '0' }
    const { code, stdout, complaints } = await run(['serve'], {
      environment: { ...other, TESSERA_SECRET: `${secret}x` },
    })
    expect({ code, stdout, lines: complaints.length }).toEqual({ code: 1, stdout: '', lines: 1 })
    expect(complaints[0]).toMatch(/encrypted with another secret\. Set TESSERA_SECRET/)
    await (await start(testSettings({ ...environment, TESSERA_SECRET: secret }))).close()
    await database.remove()
  })
})

onOneDatabase('SIGTERM', (dialect) => {
  let database: TestDatabase
  let environment: Record<string, string>
  beforeAll(async () => {
    database = await createDatabase(dialect)
    environment = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LOG_LEVEL: 'silent',
    }
  })
  afterAll(() => database.remove())

  it('lets sign-ins whose passwords are being checked finish', async () => {
    const serving = await Serving.start(environment)
    const everybody = [people.importer, people.both, people.admin]
    const browsers = Array.from({ length: 4 }, () => new TestBrowser(serving.url))
    const pages = await Promise.all(browsers.map((browser) => browser.open(authorizeRequest().path)))
    const answers = browsers.map((browser, index) => {
      const page = pages[index]
      if (page === undefined) throw new Error('There is a page for each browser.')
      return browser.submitOnce(page, everybody[index % everybody.length])
    })
    // One thread checks one password after the other: at the first answer the others wait. They are few, because that
    // thread gets little of a busy machine, and the end comes after 9.3 seconds in any case.
    await Promise.race(answers)
    const ended = serving.stop()
    const statuses = (await Promise.all(answers)).map((answer) => `${answer.status} ${answer.location}`)
    expect(new Set(statuses.map((one) => one.replace(/request=.*/, '')))).toEqual(
      new Set([`303 ${serving.issuer}/oauth2/authorize/continue?`]),
    )
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
    await expect(fetch(serving.url)).rejects.toThrow('fetch failed')
  })

  it('does not wait for connections on which nothing is asked, or not all of it', async () => {
    const serving = await Serving.start(environment)
    const { hostname, port } = new URL(serving.url)
    const asked = ['', 'GET /oauth2/jwks HTTP/1.1\r\nHost: localhost\r\n']
    const sockets = await Promise.all(asked.map((text) => opened(hostname, Number(port), text)))
    // And one on which a browser waits after an answer.
    await fetch(`${serving.url}/oauth2/jwks`, { headers: { connection: 'keep-alive' } })
    const began = performance.now()
    expect(await serving.stop()).toMatchObject({ code: 0 })
    // Not cut off at its latest end, after 9.3 seconds.
    expect(performance.now() - began).toBeLessThan(8000)
    for (const socket of sockets) socket.destroy()
  })

  it('does not wait for what was asked on connections that were cut before its turn to be answered', async () => {
    const serving = await Serving.start(environment)
    await askAndCut(serving.url)
    const began = performance.now()
    expect(await serving.stop()).toMatchObject({ code: 0 })
    // Not cut off at its latest end, after 9.3 seconds.
    expect(performance.now() - began).toBeLessThan(8000)
  })
})

async function opened(host: string, port: number, text: string): Promise<Socket> {
  const socket = connect(port, host)
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  if (text !== '') await new Promise((resolve) => socket.write(text, resolve))
  return socket
}
