import { afterAll, beforeAll, expect, it } from 'vitest'
import { cleanUp, type Ended, secret, Serving } from './process.ts'
import { formRequest, getRequest, rawRequest } from './hostile-support.ts'

/** A secret in every field that anything is sent in, and none of them in the log, however much is logged. */

const acme = new URL('fixtures/acme.yaml', import.meta.url).pathname
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

let planted = 0
const plant = () => `planted${String(planted++).padStart(6, '0')}${'x'.repeat(30)}`
let ended: Ended

beforeAll(async () => {
  const serving = await Serving.start({
    TESSERA_LOG_LEVEL: 'trace',
    TESSERA_DECLARED: acme,
    TESSERA_SECRET: secret,
    TESSERA_LIMIT_CLIENT_AUTH: '0',
    TESSERA_LIMIT_GRANTS: '0',
  })
  for (const path of paths) {
    for (const field of fields) {
      const known = field === 'client_id' ? '' : '&client_id=submissions-web'
      const form = `grant_type=refresh_token${known}&${field}=${plant()}`
      await rawRequest(serving.url, formRequest(path, form))
      await rawRequest(serving.url, getRequest(`${path}?${field}=${plant()}${known}`))
    }
    for (const name of headers) {
      const value = dressed[name]?.(plant()) ?? plant()
      await rawRequest(serving.url, getRequest(path, [`${name}: ${value}`]))
      await rawRequest(serving.url, formRequest(path, 'grant_type=client_credentials', [`${name}: ${value}`]))
    }
    const basic = Buffer.from(`nightly-import:${plant()}`).toString('base64')
    await rawRequest(
      serving.url,
      formRequest(path, 'grant_type=client_credentials&token=x', [`Authorization: Basic ${basic}`]),
    )
    // What is no form, no HTTP and no end.
    await rawRequest(
      serving.url,
      formRequest(path, `{"client_secret":"${plant()}"}`).replace('x-www-form-urlencoded', 'json'),
    )
    await rawRequest(serving.url, getRequest(path, [`Broken header ${plant()}`]))
    await rawRequest(serving.url, getRequest(path, [`Authorization: ${plant()}${'y'.repeat(20_000)}`]))
    await rawRequest(serving.url, formRequest(path, `client_secret=${plant()}${'y'.repeat(70_000)}`))
  }
  ended = await serving.stop()
}, 60_000)
afterAll(cleanUp)

it('none is in what the process wrote, in any spelling', () => {
  expect(planted).toBeGreaterThan(900)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  const base64 = Buffer.from('planted0').toString('base64').slice(0, 9)
  const lines = ended.stdout.split('\n').filter((line) => /planted\d/i.test(line) || line.includes(base64))
  expect(lines.slice(0, 3)).toEqual([])
})

it('each request is there all the same, with its id, path, status and the error', () => {
  const records = ended.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const answered = records.filter(({ msg }) => msg === 'answered')
  expect(answered.length).toBeGreaterThan(800)
  expect(new Set(answered.map(({ reqId }) => reqId)).size).toBe(answered.length)
  expect(answered.filter(({ status }) => Number(status) >= 500)).toEqual([])
  for (const path of paths) expect(answered.some((record) => record.path === path)).toBe(true)
  const errors = new Set(records.flatMap(({ error }) => (typeof error === 'string' ? [error] : [])))
  for (const code of ['invalid_client', 'invalid_grant', 'invalid_request', 'request_too_large'])
    expect(errors).toContain(code)
})
