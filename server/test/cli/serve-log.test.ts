import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, post, TestBrowser } from '../harness/browser.ts'
import { askAndCut } from '../http/cut-off-support.ts'
import { cleanUp, type Ended, secret, Serving, temporaryFolder } from '../harness/process.ts'
import { machine } from '../harness/program.ts'
import { assertionType, keyOf, signed } from '../oauth2/workload-tokens.ts'

/** What the process writes while people and programs do everything that involves something secret. */

const wrongPassword = 'a password that somebody mistyped'
const wrongSecret = 'a-client-secret-that-is-wrong'
const audience = 'https://submissions.acme.example/api'
const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

/** Its assertion names another `kid` than is registered. */
const robot = { id: 'robot', key: await keyOf('ES256', 'one') }

const secrets = new Map<string, string>()
let ended: Ended
let records: Record<string, unknown>[]

beforeAll(async () => {
  const serving = await Serving.start({
    TESSERA_LOG_LEVEL: 'trace',
    TESSERA_DECLARED: withBackChannel(),
    TESSERA_SECRET: secret,
  })
  const keep = (name: string, value: unknown) => {
    if (typeof value !== 'string' || value.length < 8) throw new Error(`No ${name} to look for.`)
    secrets.set(name, value)
  }
  keep('the secret', secret)
  keep('a password', people.importer.password)
  keep('a wrong password', wrongPassword)
  keep('a client secret', machine.client_secret)
  keep('a wrong client secret', wrongSecret)
  await signInAndOut(serving.issuer, keep)
  await asMachine(serving.issuer)
  await nonsense(serving.issuer)
  await askAndCut(serving.url)
  await serving.prints(/A logout notice/)
  ended = await serving.stop()
  const lines = ended.stdout.split('\n').filter((line) => line !== '' && !line.startsWith('tessera listens'))
  records = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
})

afterAll(cleanUp)

/** The reference file, with a client that is told of logouts at an address to which nothing is sent. */
function withBackChannel(): string {
  const path = join(temporaryFolder(), 'declared.yaml')
  const client = '  - client_id: submissions-web\n'
  const told = `${client}    backchannel_logout_uri: http://localhost:9/logout\n`
  const jwks = JSON.stringify({ keys: [{ ...robot.key.jwk, kid: 'other' }] })
  const proved = `  - client_id: ${robot.id}\n    client_name: Robot\n    type: machine\n    jwks: ${jwks}\n`
  writeFileSync(path, readFileSync(acme, 'utf8').replace(client, `${proved}${told}`))
  return path
}

async function signInAndOut(issuer: string, keep: (name: string, value: unknown) => void): Promise<void> {
  const browser = new TestBrowser(issuer)
  const request = authorizeRequest({ login_hint: people.importer.email })
  const page = await browser.open(request.path)
  keep('a form token', /name="csrf" value="([^"]+)"/.exec(page.body)?.[1])
  const refused = await browser.submit(page, { email: people.importer.email, password: wrongPassword })
  const { code = '' } = answerOf(await browser.submit(refused, people.importer))
  for (const [name, value] of browser.cookies) keep(`the cookie ${name}`, value)
  for (const name of ['state', 'nonce', 'code_challenge']) keep(`the ${name}`, request.parameters[name])
  keep('a code', code)
  keep('a code verifier', request.verifier)
  const exchange = {
    grant_type: 'authorization_code',
    client_id: 'submissions-web',
    redirect_uri: request.parameters.redirect_uri ?? '',
    code,
    code_verifier: request.verifier,
  }
  const { json } = await post(`${issuer}/oauth2/token`, exchange)
  for (const name of ['access_token', 'refresh_token', 'id_token']) keep(`the ${name}`, json[name])
  const refreshing = { client_id: 'submissions-web', refresh_token: String(json.refresh_token) }
  const later = await post(`${issuer}/v1/iam/token/refresh`, refreshing)
  keep('the next refresh token', later.json.refresh_token)
  const bearer = { headers: { authorization: `Bearer ${String(later.json.access_token)}` } }
  expect((await fetch(`${issuer}/oauth2/userinfo`, bearer)).status).toBe(200)
  // Refused, with a detail for the log: a code used twice, a wrong verifier, a token that is none.
  await post(`${issuer}/oauth2/token`, exchange)
  await post(`${issuer}/oauth2/token`, { ...exchange, code_verifier: wrongPassword })
  await post(`${issuer}/oauth2/revoke`, { ...refreshing, token: refreshing.refresh_token })
  await fetch(`${issuer}/oauth2/userinfo?access_token=${String(json.access_token)}`)
  await browser.open(`/oauth2/logout?id_token_hint=${String(json.id_token)}&client_id=submissions-web`)
}

async function asMachine(issuer: string): Promise<void> {
  const form = { grant_type: 'client_credentials' }
  await post(`${issuer}/oauth2/token`, { ...form, ...machine })
  await post(`${issuer}/oauth2/token`, { ...form, ...machine, client_secret: wrongSecret })
  for (const password of [machine.client_secret, wrongSecret]) {
    const basic = Buffer.from(`${machine.client_id}:${password}`).toString('base64')
    secrets.set(`Basic of ${password}`, basic)
    await post(`${issuer}/oauth2/token`, form, { authorization: `Basic ${basic}` })
  }
  await post(`${issuer}/oauth2/introspect`, { ...machine, token: wrongPassword })
  await post(`${issuer}/oauth2/token`, { ...form, ...machine, resource: `${audience}/` })
  await new TestBrowser(issuer).request(authorizeRequest({ resource: `${audience}/` }).path)
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: robot.id, sub: robot.id, aud: issuer, iat: now, exp: now + 60, jti: 'only' }
  const assertion = await signed(claims, robot.key)
  secrets.set('an assertion', assertion)
  const proof = { client_assertion_type: assertionType, client_assertion: assertion }
  await post(`${issuer}/oauth2/token`, { ...form, client_id: robot.id, ...proof })
}

/** What the framework itself answers, and might log. */
async function nonsense(issuer: string): Promise<void> {
  const { client_secret } = machine
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
  await fetch(`${issuer}/oauth2/token`, { ...json, body: JSON.stringify(machine) })
  await fetch(`${issuer}/oauth2/token?client_secret=${client_secret}`, { method: 'PUT' })
  await fetch(`${issuer}/nowhere/%zz?client_secret=${client_secret}`)
  await fetch(`${issuer}/sign-in?request=${client_secret}`, { headers: { accept: 'text/html' } })
  await post(`${issuer}/oauth2/token`, { client_secret: client_secret.repeat(5000) })
}

describe('the log', () => {
  it('is JSON lines on standard output, and nothing is on standard error', () => {
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(records.length).toBeGreaterThan(20)
    for (const record of records)
      expect(record).toMatchObject({ level: expect.any(Number), time: expect.any(Number) })
  })

  it('says where it listens once, and not as a line of the log', () => {
    expect(ended.stdout.match(/listen/gi)).toHaveLength(1)
  })

  it('tells of each request its method, path, status, time and address', () => {
    const answered = records.filter((record) => record.msg === 'answered')
    const tokens = answered.filter((record) => record.path === '/oauth2/token')
    expect(tokens.map((record) => record.status)).toEqual(expect.arrayContaining([200, 400, 401, 405, 413]))
    for (const record of answered) {
      expect(record).toMatchObject({
        method: expect.any(String),
        ms: expect.any(Number),
        reqId: expect.any(String),
      })
      expect(['127.0.0.1', '::1']).toContain(record.address)
    }
  })

  it('tells of each request whose connection was cut before it was answered, once', () => {
    const off = records.filter((record) => record.msg === 'cut off')
    expect(off.length).toBeGreaterThan(0)
    for (const record of off) {
      expect(record).toMatchObject({
        method: 'GET',
        path: '/api/doc.json',
        status: 499,
        ms: expect.any(Number),
      })
      expect(['127.0.0.1', '::1']).toContain(record.address)
    }
    const ids = records.filter(({ msg }) => msg === 'answered' || msg === 'cut off').map(({ reqId }) => reqId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('holds no secret, cookie, code or token', () => {
    expect(secrets.size).toBeGreaterThanOrEqual(18)
    const written = ended.stdout + ended.stderr
    const found = [...secrets].filter(([, value]) =>
      [value, encodeURIComponent(value), value.replaceAll(' ', '+')].some((form) => written.includes(form)),
    )
    expect(found.map(([name]) => name)).toEqual([])
  })

  it('names a setting that an error tells to change, however long', () => {
    const failed = records.filter(({ msg }) => msg === 'a background job failed')
    expect(JSON.stringify(failed)).toContain('TESSERA_LOGOUT_TO_PRIVATE_ADDRESSES=true')
  })

  it('names the client that could not be told of a logout beside the message, which leaves long words out', () => {
    const failed = records.map(({ err }) => err as { message?: string; client_id?: string } | undefined)
    const notice = failed.find((err) => err?.message?.startsWith('A logout notice'))
    expect(notice?.client_id).toBe('submissions-web')
  })

  it('has the audiences of the client beside a resource that is none of them, by a redirect too', () => {
    const told = records.filter(({ error }) => error === 'invalid_target')
    expect(told.map(({ detail }) => detail)).toEqual(
      [machine.client_id, 'submissions-web'].map((one) => `the audiences of ${one} are ${audience}`),
    )
  })

  it('has why none of the registered keys fits an assertion', () => {
    const told = records.find(({ msg }) => String(msg).includes('not signed by a registered key'))
    expect(told?.detail).toBe(`${robot.id}: no applicable key found in the JSON Web Key Set`)
  })

  it('holds no query', () => {
    const paths = records.flatMap((record) => (typeof record.path === 'string' ? [record.path] : []))
    expect(paths).toContain('/oauth2/authorize')
    expect(paths.filter((path) => path.includes('?'))).toEqual([])
    expect(ended.stdout).not.toMatch(/[?&](code|state|request|client_id|client_secret|access_token)=/)
  })
})
