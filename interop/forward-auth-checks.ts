/** What people do at an origin that is behind a proxy. */
import { strangers } from './forward-auth-strangers.ts'
import { person } from './journey.ts'
import type { Reached } from './protected-app.ts'
import { send } from './raw-request.ts'
import { type Asked, type Check, expect, fill, last, said, signIn, type Visit } from './visit.ts'

/** Runs each in a browser of its own, so that one that fails stops no other. */
export async function checks(asked: Asked): Promise<{ passed: string[]; failed: string[] }> {
  const passed: string[] = []
  const failed: string[] = []
  for (const [name, check] of all) {
    const context = await asked.browser.newContext({ ignoreHTTPSErrors: true })
    context.setDefaultTimeout(20_000)
    asked.app.reached.length = 0
    const { origin } = asked
    const cookie = async () =>
      (await context.cookies(origin)).map((one) => `${one.name}=${one.value}`).join('; ')
    try {
      await check({ ...asked, context, cookie, raw: (one) => send(origin, one) })
      passed.push(name)
    } catch (error) {
      failed.push(`${name}: ${String(error)}`)
    } finally {
      await context.close()
    }
  }
  return { passed, failed }
}

const navigation = ['Sec-Fetch-Mode: navigate', 'Accept: text/html']

const all: readonly Check[] = [
  [
    'sign-in',
    async (visit) => {
      const page = await signIn(visit, '/a%20page?x=1%202&y=%2F')
      expect(page.url() === `${visit.origin}/a%20page?x=1%202&y=%2F`, 'not where it began', page.url())
      isTold(last(visit))
    },
  ],
  [
    'cookies of the application',
    async (visit) => {
      await signIn(visit)
      const cookie = `theme=dark; ${await visit.cookie()}; q="a, b"`
      const { status } = await visit.raw({ path: '/', headers: [`Cookie: ${cookie}`] })
      const come = said(last(visit), 'cookie')
      expect(status === 200 && come.length === 1 && come[0] === 'theme=dark; q="a, b"', 'other cookies', come)
    },
  ],
  [
    'HEAD',
    async (visit) => {
      await signIn(visit)
      const cookie = `Cookie: ${await visit.cookie()}`
      const { status } = await visit.raw({ method: 'HEAD', path: '/head', headers: [cookie] })
      expect(status === 200 && last(visit)?.method === 'HEAD', 'not handed on', [status, last(visit)])
    },
  ],
  ['OPTIONS', options],
  ['no navigation', noNavigation],
  ['refused page', refused],
  ['public routes', publicRoutes],
  ['WebSocket', webSocket],
  ['upload of 100 MB', upload],
  ['two tabs', twoTabs],
  ['end in the middle of a form', endInForm],
  ['sign-out', signOut],
  ['sign-out elsewhere', signOutElsewhere],
  ...strangers,
]

/** All that it may be told of somebody. */
function isTold(one: Reached | undefined): void {
  const [user = '', name, email, groups, organisation, token = ''] = [
    'remote-user',
    'remote-name',
    'remote-email',
    'remote-groups',
    'remote-organisation',
    'x-access-token',
  ].map((header) => said(one, header).join())
  const [, claims = ''] = token.split('.')
  const { sub, permissions } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Claims
  const seen = [name, email, groups, organisation, ...(permissions ?? [])].join()
  const should = `Ines Moreau,${person.email},bookkeeper,acme,tools.person.read`
  expect(/^[\w-]{36}$/.test(user) && sub === user && seen === should, 'told otherwise', [seen, sub, one])
  expect(!JSON.stringify(one).includes('__Host-tessera'), 'a cookie of Tessera reached it', one)
}

interface Claims {
  sub?: string
  permissions?: string[]
}

async function options(visit: Visit): Promise<void> {
  const asked = ['Origin: https://other.example', 'Access-Control-Request-Method: PUT']
  const preflight = await visit.raw({ method: 'OPTIONS', path: '/x', headers: asked })
  const bare = await visit.raw({ method: 'OPTIONS', path: '/x' })
  expect(preflight.status === 200, 'a preflight', preflight.text)
  expect(bare.status === 401, 'OPTIONS that is no preflight', bare.text)
  expect(
    said(last(visit), 'remote-user').every((one) => one === ''),
    'somebody',
    last(visit),
  )
}

async function noNavigation(visit: Visit): Promise<void> {
  const { status, text, header } = await visit.raw({ path: '/', headers: ['Accept: application/json'] })
  expect(status === 401 && text.includes('"sign_in_required"'), 'no 401 with JSON', text)
  expect(header('location').length === 0, 'a way to the sign-in', text)
  const page = await visit.raw({ path: '/', headers: navigation })
  expect(page.status === 302 && page.header('set-cookie').length === 1, 'no way to the sign-in', page.text)
  expect(page.header('cache-control').join().includes('no-store'), 'may be stored', page.text)
  expect(visit.app.reached.length === 0, 'it reached the application', visit.app.reached)
}

async function refused(visit: Visit): Promise<void> {
  const page = await signIn(visit)
  visit.app.reached.length = 0
  const answer = await page.goto(`${visit.origin}/admin/x`)
  const text = await page.locator('body').innerText()
  expect(answer?.status() === 403 && text.includes('tools.person.edit'), 'does not say what is missing', text)
  const cookie = `Cookie: ${await visit.cookie()}`
  const json = await visit.raw({
    method: 'POST',
    path: '/admin/x',
    headers: [cookie],
    body: Buffer.from('a=b'),
  })
  expect(
    json.status === 403 && json.text.includes('tools.person.edit'),
    'does not say it to a program',
    json.text,
  )
  expect(!/x-access-token: \S/i.test(json.text), 'a token for the visitor', json.text)
  expect(visit.app.reached.length === 0, 'it reached the application', visit.app.reached)
}

async function publicRoutes(visit: Visit): Promise<void> {
  const { status } = await visit.raw({ path: '/public/x', headers: ['Cookie: theme=dark'] })
  const one = last(visit)
  expect(status === 200 && said(one, 'cookie').join() === 'theme=dark', 'not handed on', [status, one])
  expect(
    said(one, 'remote-user').every((value) => value === ''),
    'somebody',
    one,
  )
  await visit.raw({ path: '/public/none' })
  expect(!JSON.stringify(last(visit)).includes('{http.'), 'a placeholder reached it', last(visit))
}

async function webSocket(visit: Visit): Promise<void> {
  const page = await signIn(visit)
  const heard = await page.evaluate(
    async () =>
      await new Promise<string>((resolve) => {
        const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/socket`)
        socket.onopen = () => socket.send('?')
        socket.onmessage = ({ data }) => resolve(String(data))
        socket.onerror = () => resolve('an error')
        setTimeout(() => resolve('nothing'), 5000)
      }),
  )
  expect(heard === 'here' && said(last(visit), 'remote-user')[0] !== '', 'no answer', [heard, last(visit)])
  const headers = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  const stranger = await visit.raw({ path: '/socket', headers })
  expect(stranger.status === 401, 'without a session', stranger.text)
}

async function upload(visit: Visit): Promise<void> {
  await signIn(visit)
  const cookie = `Cookie: ${await visit.cookie()}`
  const before = visit.between.bytes()
  const body = Buffer.alloc(100 * 2 ** 20 - 1024)
  const { status } = await visit.raw({ method: 'POST', path: '/upload', headers: [cookie], body })
  expect(status === 200 && last(visit)?.bytes === body.length, 'not whole', [status, last(visit)])
  expect(visit.between.bytes() - before < 20_000, 'sent to the service', visit.between.bytes() - before)
}

async function twoTabs(visit: Visit): Promise<void> {
  const one = await visit.context.newPage()
  const two = await visit.context.newPage()
  await one.goto(`${visit.origin}/one`)
  await two.goto(`${visit.origin}/two`)
  await fill(one)
  await one.waitForURL(`${visit.origin}/**`)
  expect(one.url() === `${visit.origin}/one`, 'the first is elsewhere', one.url())
  await fill(two).catch(() => undefined)
  await two.waitForURL(`${visit.origin}/**`)
  expect(two.url() === `${visit.origin}/two`, 'the second is elsewhere', two.url())
  const ways = (await visit.context.cookies(visit.origin)).filter(({ name }) => name.includes('-way-'))
  expect(ways.length === 0, 'ways are left', ways)
}

async function endInForm(visit: Visit): Promise<void> {
  const page = await signIn(visit, '/form')
  await page.fill('textarea', 'a long text')
  await visit.context.clearCookies()
  const [answer] = await Promise.all([page.waitForResponse(`${visit.origin}/form`), page.click('button')])
  const text = await page.locator('body').innerText()
  expect(answer.status() === 401 && text.length > 20, 'no page that says so', [answer.status(), text])
  expect(last(visit)?.method !== 'POST', 'it reached the application', last(visit))
  await signIn(visit)
  await page.goBack()
  await page.fill('textarea', 'a long text')
  await page.click('button')
  await page.waitForLoadState()
  expect(
    last(visit)?.method === 'POST' && last(visit)?.bytes === 'text=a+long+text'.length,
    'lost',
    last(visit),
  )
}

async function signOut(visit: Visit): Promise<void> {
  const page = await signIn(visit)
  const before = `Cookie: ${await visit.cookie()}`
  await page.goto(`${visit.origin}/.tessera/logout`)
  const button = page.locator('form button').first()
  if (await button.isVisible().catch(() => false)) await button.click()
  await page.waitForLoadState('networkidle')
  const { status } = await visit.raw({ path: '/', headers: [before] })
  expect(status === 401, 'still there', status)
}

async function signOutElsewhere(visit: Visit): Promise<void> {
  const page = await signIn(visit)
  await page.goto(`${visit.issuer}/oauth2/logout`)
  const button = page.locator('form button').first()
  if (await button.isVisible().catch(() => false)) await button.click()
  await page.waitForLoadState('networkidle')
  const { status } = await visit.raw({ path: '/', headers: [`Cookie: ${await visit.cookie()}`] })
  expect(status === 401, 'still there', status)
  await page.goto(`${visit.origin}/`)
  expect(page.url().startsWith(visit.issuer), 'not led to the sign-in', page.url())
}
