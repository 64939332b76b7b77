import { expect } from 'vitest'
import { post, type TestBrowser, type Visit } from '../harness/browser.ts'
import { type Answer, token } from '../harness/program.ts'

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** What is replaced in the reference file, so that there are clients for devices. */
export const deviceClients: [part: string, by: string] = [
  'clients:\n',
  `clients:
  - client_id: terminal
    client_name: Field terminal
    type: public
    first_party: true
    grant_types: ["${deviceGrant}", refresh_token]
    scope: openid email profile service.api
    services: [submissions-tool]
  - client_id: television
    client_name: Partner television
    type: public
    redirect_uris: [https://television.example/callback]
    grant_types: [authorization_code, "${deviceGrant}", refresh_token]
    scope: openid profile
  - client_id: kiosk
    client_name: Kiosk server
    type: web
    first_party: true
    client_secret: kiosk-development-secret
    grant_types: ["${deviceGrant}"]
    scope: openid
`,
]

export interface Begun {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** POST /oauth2/device_authorization. */
export const askDevice = async (url: string, form: Record<string, string> = {}): Promise<Answer> =>
  await post(`${url}/oauth2/device_authorization`, {
    client_id: 'terminal',
    scope: 'openid email profile service.api',
    ...form,
  })

/** What a device gets to begin with. */
export async function beginDevice(url: string, form: Record<string, string> = {}): Promise<Begun> {
  const { status, json, text } = await askDevice(url, form)
  expect(status, text).toBe(200)
  return json as unknown as Begun
}

/** Asks for the tokens, as a device does. */
export const poll = async (
  url: string,
  { device_code }: Pick<Begun, 'device_code'>,
  form: Record<string, string> = {},
): Promise<Answer> =>
  await token(url, { grant_type: deviceGrant, client_id: 'terminal', device_code, ...form })

/** Enters a user code; yields the page that follows. */
export const enter = async (browser: TestBrowser, userCode: string): Promise<Visit> =>
  await browser.submit(await browser.open('/device'), { user_code: userCode })

/** From the code to the page that asks whether the device may. */
export async function enterAndSignIn(
  browser: TestBrowser,
  userCode: string,
  person: { email: string; password: string },
): Promise<Visit> {
  return await browser.submit(await enter(browser, userCode), person)
}

export async function approve(
  browser: TestBrowser,
  userCode: string,
  person: { email: string; password: string },
): Promise<Visit> {
  const question = await enterAndSignIn(browser, userCode, person)
  expect(new URL(question.url).pathname).toMatch(/\/device\/confirm$/)
  const done = await browser.submit(question, { choice: 'allow' })
  expect([done.status, new URL(done.url).pathname]).toEqual([200, expect.stringMatching(/\/device\/done$/)])
  return done
}
