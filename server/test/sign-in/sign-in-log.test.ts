import { afterAll, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, post, signIn, TestBrowser } from '../harness/browser.ts'
import { createDatabase, onOneDatabase } from '../harness/databases.ts'
import { cleanUp, Serving } from '../harness/process.ts'
import { trySignIn, wrong } from '../identity/throttling-support.ts'

afterAll(cleanUp)

onOneDatabase('the log of a sign-in', (dialect) => {
  it('holds no password, cookie, code, token or parameter, even when everything is logged', async () => {
    const database = await createDatabase(dialect)
    const serving = await Serving.start({
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LOG_LEVEL: 'trace',
    })
    const browser = new TestBrowser(serving.url)
    const request = authorizeRequest({ state: 'a-state-to-be-kept', login_hint: 'hinted@acme.example' })
    const visit = await signIn(browser, request.path, people.importer)
    const cookies = [...browser.cookies.values()]
    const { code = '' } = answerOf(visit)
    const { json } = await post(`${serving.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code,
      code_verifier: request.verifier,
    })
    expect(json.token_type).toBe('Bearer')
    await trySignIn(serving.url, wrong(people.both))
    const hint = String(json.id_token)
    await browser.request(`/oauth2/logout?client_id=submissions-web&id_token_hint=${hint}&state=bye-state`)
    await browser.request(authorizeRequest({ scope: 'a-scope-that-is-none', state: 'refused-state' }).path)
    const { stdout, stderr } = await serving.stop()
    await database.remove()

    expect(stderr).toBe('')
    for (const path of ['/oauth2/authorize', '/sign-in', '/oauth2/token', '/oauth2/logout']) {
      expect(stdout).toContain(`"path":"${path}"`)
    }
    const secrets = {
      password: people.importer.password,
      'wrong password': wrong(people.both).password,
      code: code.split('.')[1] ?? '',
      verifier: request.verifier,
      'access token': String(json.access_token),
      'refresh token': String(json.refresh_token).split('.')[2] ?? '',
      'ID token': hint,
      state: 'a-state-to-be-kept',
      'state of an error': 'refused-state',
      'state of a logout': 'bye-state',
      'login hint': 'hinted@acme.example',
      nonce: request.parameters.nonce ?? '',
      ...Object.fromEntries(cookies.map((value, n) => [`cookie ${n}`, value])),
    }
    const found = Object.entries(secrets).filter(([, secret]) => secret !== '' && stdout.includes(secret))
    expect(found).toEqual([])
    expect(Object.values(secrets).every((secret) => secret.length > 5)).toBe(true)
  })
})
