import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, type Ended, secret, Serving } from '../harness/process.ts'
import { formRequest, getRequest, rawRequest } from '../http/hostile-support.ts'

/** A secret in every field that anything is sent in, and none of them in the log, however much is logged. */

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname
const paths = [
  '/oauth2/authorize',
  '/oauth2/authorize/continue',
  '/oauth2/token',
  '/v1/iam/token/refresh',
  '/oauth2/userinfo',
  '/oauth2/revoke',
  '/oauth2/introspect',
  '/oauth2/logout',
  '/oauth2/logout/confirm',
  '/oauth2/jwks',

  '/sign-in',
  '/choose-profile',
  '/consent',
  '/no-profile',
  '/.well-known/openid-configuration',
  '/api/doc',
  '/nowhere',
]
const fields = [
  'client_secret',
  'code',
  'code_verifier',
  'code_challenge',
  'refresh_token',
  'access_token',
  'token',
  'nonce',

  'state',
  'id_token_hint',
  'password',
  'csrf',
  'request',
  'login_hint',
  'email',
  'scope',
  'redirect_uri',

  'client_id',
  'grant_type',
  'resource',
  'profile_uuid',
  'prompt',
  'post_logout_redirect_uri',
  'assertion',
]
const headers = [
  'Authorization',
  'Cookie',
  'X-Api-Key',
  'Referer',
  'User-Agent',
  'Origin',
  'Accept',
  'X-Request-Id',
]
/** As a value of its own kind looks, where a kind is asked for. */
const dressed: Record<string, (planted: string) => string> = {
  Authorization: (planted) => `Bearer ${planted}`,
  Cookie: (planted) => `tessera-session=${planted}; tessera-browser=${planted}`,
  Origin: (planted) => `https://${planted}.example`,
}

/** Some long and random, some no longer than a word. */
class Planter {
  planted = 0
  readonly plant = () =>
    `planted${String(this.planted++).padStart(6, '0')}${this.planted % 2 ? 'x'.repeat(30) : ''}`
}

/** Sends a secret in every field; yields what the process wrote until its end. */
async function served(environment: Record<string, string>): Promise<{ planted: number; ended: Ended }> {
  const serving = await Serving.start({
    TESSERA_LOG_LEVEL: 'trace',
    TESSERA_DECLARED: acme,
    TESSERA_SECRET: secret,
    TESSERA_LIMIT_CLIENT_AUTH: '0',
    TESSERA_LIMIT_GRANTS: '0',
    ...environment,
  })
  const planter = new Planter()
  for (const path of paths) await plantAt(serving.url, path, planter)
  return { planted: planter.planted, ended: await serving.stop() }
}

async function plantAt(url: string, path: string, { plant }: Planter): Promise<void> {
  for (const field of fields) {
    const known = field === 'client_id' ? '' : '&client_id=submissions-web'
    const form = `grant_type=refresh_token${known}&${field}=${plant()}`
    await rawRequest(url, formRequest(path, form))
    await rawRequest(url, getRequest(`${path}?${field}=${plant()}${known}`))
  }
  for (const field of ['redirect_uri', 'post_logout_redirect_uri'])
    for (const mark of ['%3Fx=', '%23'])
      await rawRequest(
        url,
        getRequest(`${path}?client_id=submissions-web&${field}=https://a.example/${mark}${plant()}`),
      )
  for (const name of headers) {
    const value = dressed[name]?.(plant()) ?? plant()
    await rawRequest(url, getRequest(path, [`${name}: ${value}`]))
    await rawRequest(url, formRequest(path, 'grant_type=client_credentials', [`${name}: ${value}`]))
  }
  const basic = Buffer.from(`nightly-import:${plant()}`).toString('base64')
  const authorization = `Authorization: Basic ${basic}`
  await rawRequest(url, formRequest(path, 'grant_type=client_credentials&token=x', [authorization]))
  // What is no form, no HTTP and no end.
  const json = formRequest(path, `{"client_secret":"${plant()}"}`).replace('x-www-form-urlencoded', 'json')
  await rawRequest(url, json)
  await rawRequest(url, getRequest(path, [`Broken header ${plant()}`]))
  await rawRequest(url, getRequest(path, [`Authorization: ${plant()}${'y'.repeat(20_000)}`]))
  await rawRequest(url, formRequest(path, `client_secret=${plant()}${'y'.repeat(70_000)}`))
}

function recordsOf({ stdout }: Ended): Record<string, unknown>[] {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** The lines in which one is, in any spelling. */
function found({ stdout }: Ended): string[] {
  const base64 = Buffer.from('planted0').toString('base64').slice(0, 9)
  return stdout.split('\n').filter((line) => /planted\d/i.test(line) || line.includes(base64))
}

afterAll(cleanUp)

describe('of secrets in every field', () => {
  let planted: number
  let ended: Ended
  beforeAll(async () => {
    ;({ planted, ended } = await served({}))
  })

  it('none is in what the process wrote', () => {
    expect(planted).toBeGreaterThan(900)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(found(ended).slice(0, 3)).toEqual([])
  })

  it('each request is there all the same, with its id, path, status and the error', () => {
    const records = recordsOf(ended)
    const answered = records.filter(({ msg }) => msg === 'answered')
    expect(answered.length).toBeGreaterThan(800)
    expect(new Set(answered.map(({ reqId }) => reqId)).size).toBe(answered.length)
    expect(answered.filter(({ status }) => Number(status) >= 500)).toEqual([])
    for (const path of paths) expect(answered.some((record) => record.path === path)).toBe(true)
    const errors = new Set(records.flatMap(({ error }) => (typeof error === 'string' ? [error] : [])))
    for (const code of ['invalid_client', 'invalid_grant', 'invalid_request', 'request_too_large'])
      expect(errors).toContain(code)
  })
})

describe('of secrets that an error quotes in its message, its causes and its fields, and somebody logs by mistake', () => {
  let ended: Ended
  beforeAll(async () => {
    const fault = new URL('../database/quoting-fault.mjs', import.meta.url).href
    ;({ ended } = await served({ NODE_OPTIONS: `--import=${fault}` }))
  })

  it('none is in what the process wrote', () => {
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(found(ended).slice(0, 3)).toEqual([])
  })

  it('the error is there all the same: its type, code, message and where it came from, and nothing else', () => {
    const records = recordsOf(ended)
    const failures = records.filter(({ error }) => error === 'server_error')
    expect(failures.length).toBeGreaterThan(800)
    for (const { err } of failures) {
      expect(Object.keys(err as object)).toEqual(['type', 'message', 'stack'])
      expect(err).toMatchObject({
        type: 'Error',
        message: expect.stringMatching(/^could not take .*\[redacted\].* \[23505\]: Failing row contains /s),
        stack: expect.stringMatching(/quoting-fault\.mjs:\d+.*caused by: .*quoting-fault\.mjs:\d+/s),
      })
    }
    const mistakes = records.filter(({ msg }) => msg === 'by mistake')
    expect(mistakes.length).toBeGreaterThan(1600)
    const held = mistakes.filter(({ authorization }) => authorization !== undefined)
    expect(held.length).toBeGreaterThan(10)
    for (const record of held) expect(record.authorization).toBe('[redacted]')
  })
})
