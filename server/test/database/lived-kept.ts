/** What of a life must count later, and what must stay refused, whichever version is asked. */
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Administrator } from '../administration/support.ts'
import { answerOf, authorizeRequest, formOn, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import {
  type Answer,
  introspect,
  machine,
  otherMachine,
  refresh,
  refusalOf,
  token,
  userinfo,
} from '../harness/program.ts'
import { refusedPage } from '../oauth2/par-support.ts'
import { type Begun, deviceGrant, type Life, partner, password, type Place, totpCode } from './lived.ts'

/** What is asked, what has to be answered, and who asks. Each is asked once, in their order. */
export type Check = readonly [name: string, expected: unknown, ask: () => Promise<unknown>]

const ended = '400 invalid_grant'
const told = (answer: Answer): string | number => (answer.status < 300 ? answer.status : refusalOf(answer))
const pathOf = ({ url, location = url }: Visit) => new URL(location).pathname
const got = (visit: Visit) => {
  const { code, error } = answerOf(visit)
  return code === undefined ? error : 'a code'
}

/** A browser with what it was left with, whose cookies have the port of the issuer in their names. */
function browserOf({ url }: Place, issuer: string, cookies: Readonly<Record<string, string>>): TestBrowser {
  const browser = new TestBrowser(url)
  const { port } = new URL(issuer)
  for (const [name, value] of Object.entries(cookies))
    browser.cookies.set(name.replace(/^tessera-/, `tessera-${port}-`), value)
  return browser
}

const issuerOf = async ({ url }: Place): Promise<string> => {
  const answer = await fetch(`${url}/.well-known/openid-configuration`)
  return ((await answer.json()) as { issuer: string }).issuer
}

/** Things begun less than a minute ago. */
export function begunChecks(place: Place, life: Life, begun: Begun): Check[] {
  const { url } = place
  const { push, device } = begun
  const ann = { email: life.ann.email, password }
  let code: string | undefined
  const exchangePushed = () => ({
    ...{ grant_type: 'authorization_code', redirect_uri: 'http://127.0.0.1:4001/callback' },
    ...{ code: code ?? '', code_verifier: push.verifier, ...push.proof },
  })
  const poll = () => token(url, { ...device, grant_type: deviceGrant })
  const approve = async () => {
    const browser = new TestBrowser(url)
    const asked = await browser.submit(await browser.open('/device'), { user_code: device.user_code })
    const question = await browser.submit(asked, ann)
    return pathOf(await browser.submit(question, { choice: 'allow' }))
  }
  const open = async () => {
    const visit = await signIn(new TestBrowser(url), push.path, ann)
    code = answerOf(visit).code
    return got(visit)
  }
  const wrong = { ...begun.code, code_verifier: 'w'.repeat(43) }
  return [
    ['a code with another verifier', ended, async () => told(await token(url, wrong))],
    ['a code that nobody has exchanged', 200, async () => told(await token(url, begun.code))],
    ['the same code again', ended, async () => told(await token(url, begun.code))],
    ['a pushed request', 'a code', open],
    [
      'a code of it without the secret',
      '401 invalid_client',
      async () => told(await token(url, { ...exchangePushed(), client_secret: 'wrong' })),
    ],
    ['a code of it', 200, async () => told(await token(url, exchangePushed()))],
    ['the pushed request again', '400', async () => refusedPage(await new TestBrowser(url).open(push.path))],
    ['a device that nobody has allowed', '400 authorization_pending', async () => told(await poll())],
    ['allowing the device', '/device/done', approve],
  ]
}

/** What was refused or over, which stays so; the clock is ten seconds later at the least. */
export function refusedChecks(place: Place, life: Life): Check[] {
  const { url } = place
  const { rotated, gone, dan, tom, robot } = life
  const refreshed = (text: string) => async () => told(await refresh(url, text))
  const isActive = (text: string) => async () => (await introspect(url, text)).active
  const signingIn = async (email: string, given: string) =>
    await signIn(new TestBrowser(url), authorizeRequest().path, { email, password: given })
  const credentials = (changes: object) => ({
    ...{ grant_type: 'client_credentials', client_id: robot.client_id, client_secret: robot.client_secret },
    ...changes,
  })
  return [
    ['a refresh token that was used', ended, refreshed(rotated.used)],
    ['the one after it, since that was tried', ended, refreshed(rotated.current)],
    ['a refresh token of who signed out', ended, refreshed(gone.refresh)],
    ['a refresh token of who was disabled', ended, refreshed(dan.refresh)],
    ['a refresh token that nobody was given', ended, refreshed(`${life.ann.refresh.slice(0, -4)}AAAA`)],
    ['a token of who was disabled', false, isActive(dan.access)],
    ['userinfo of who was disabled', 401, async () => (await userinfo(url, dan.access)).status],
    ['a sign-in of who was disabled', 400, async () => (await signingIn(dan.email, password)).status],
    ['a wrong password', 400, async () => (await signingIn(life.ann.email, 'another password')).status],
    [
      'the session of who signed out',
      'login_required',
      async () => {
        const browser = browserOf(place, await issuerOf(place), gone.cookies)
        return got(await browser.open(authorizeRequest({ prompt: 'none' }).path))
      },
    ],
    ['a code that was used', ended, async () => told(await token(url, life.usedCode))],
    [
      'a pushed request that was used',
      '400',
      async () => refusedPage(await new TestBrowser(url).open(life.usedPush)),
    ],
    [
      'a password without the second factor, and a code of the app that was taken',
      [undefined, '/sign-in/second-factor', 400],
      async () => {
        const browser = new TestBrowser(url)
        const asked = await browser.submit(await browser.open(authorizeRequest().path), {
          email: tom.email,
          password,
        })
        const answered = await browser.submitOnce(asked, { code: tom.usedCode })
        return [asked.location, pathOf(asked), answered.status]
      },
    ],
    [
      'a wrong secret',
      '401 invalid_client',
      async () => told(await token(url, credentials({ client_secret: 'wrong' }))),
    ],
    [
      'a service that it may not reach',
      '400 invalid_target',
      async () => told(await token(url, credentials({ resource: 'https://submissions.acme.example/api' }))),
    ],
    [
      'consent that another person gave',
      '/consent',
      async () =>
        pathOf(
          await signIn(new TestBrowser(url), authorizeRequest(partner).path, { email: gone.email, password }),
        ),
    ],
  ]
}

/** Things that count still. */
export function keptChecks(place: Place, life: Life): Check[] {
  const { url } = place
  const { ann, tom, robot, webhook, invitation } = life
  const { client_id, client_secret } = robot
  const signed = async (jwt: string) => {
    const issuer = await issuerOf(place)
    const keys = createRemoteJWKSet(new URL(`${url}/oauth2/jwks`))
    const currentDate = new Date(place.now())
    return (await jwtVerify(jwt, keys, { issuer, typ: 'at+jwt', currentDate })).payload.client_id
  }
  const opens = async (changes: Record<string, string>) =>
    got(await browserOf(place, await issuerOf(place), ann.cookies).open(authorizeRequest(changes).path))
  const introspected = async (text: string) => (await introspect(url, text, otherMachine)).client_id
  return [
    ['userinfo of an access token', ann.sub, async () => (await userinfo(url, ann.access)).json.sub],
    ['introspection of it', ann.sub, async () => (await introspect(url, ann.access, machine)).sub],
    ['its signature', 'submissions-web', () => signed(ann.access)],
    ['a signature by the key after it', client_id, () => signed(life.rotatedKey)],
    ['a token of a machine', client_id, () => introspected(robot.access)],
    ['a token by exchange', `${life.name}-exchanger`, () => introspected(life.exchanged)],
    [
      'the secret of a machine',
      200,
      async () => told(await token(url, { grant_type: 'client_credentials', client_id, client_secret })),
    ],
    ['a session', 'a code', () => opens({ prompt: 'none' })],
    ['a consent', 'a code', () => opens({ ...partner, prompt: 'none' })],
    ['a refresh token', 200, async () => told(await refresh(url, ann.refresh))],
    [
      'a password with a second factor',
      'a code',
      async () => {
        const browser = new TestBrowser(url)
        const person = { email: tom.email, password }
        const asked = await browser.submit(await browser.open(authorizeRequest().path), person)
        return got(await browser.submit(asked, { code: totpCode(place) }))
      },
    ],
    [
      'a webhook',
      [webhook.url, ['webhook.removed']],
      async () => {
        const { json } = await (await Administrator.machine(url)).get(`/webhooks/${webhook.uuid}`)
        return [json.url, json.kinds]
      },
    ],
    [
      'an invitation',
      '/invitation/accepted',
      async () => {
        const browser = new TestBrowser(url)
        const page = await browser.open(`/${invitation.link}`)
        formOn(page)
        return pathOf(
          await browser.submit(page, {
            name: 'Ines',
            password: 'seven quiet ferries at dawn',
            password_again: 'seven quiet ferries at dawn',
          }),
        )
      },
    ],
    [
      'the invitation again',
      400,
      async () => (await new TestBrowser(url).open(`/${invitation.link}`)).status,
    ],
    ['the audit', 0, async () => await place.command('audit', 'verify').then(() => 0)],
  ]
}

/** The answers by name, one check after the other, and those that are expected. */
export async function asked(
  checks: readonly Check[],
): Promise<Record<'answers' | 'expected', Record<string, unknown>>> {
  const answers: [string, unknown][] = []
  for (const [name, , ask] of checks) answers.push([name, await ask()])
  const expected = checks.map(([name, answer]) => [name, answer] as const)
  return { answers: Object.fromEntries(answers), expected: Object.fromEntries(expected) }
}
