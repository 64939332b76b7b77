/** What strangers try at an origin that is behind a proxy, and what must not reach the application then. */
import { toldHeaders } from './protected-app.ts'
import { type Check, expect, last, said, signIn, type Visit } from './visit.ts'

/** In any case, and with `_` or `.` for each `-`, which PHP takes for the same. */
const spellings = [...toldHeaders, 'X-Access_Token', 'X_Access-Token'].flatMap((name) => [
  name,
  name.toUpperCase(),
  name.toLowerCase(),
  name.replaceAll('-', '_'),
  name.toLowerCase().replaceAll('-', '_'),
  name.replaceAll('-', '.'),
])

async function forged(visit: Visit): Promise<void> {
  await signIn(visit)
  const cookie = `Cookie: ${await visit.cookie()}`
  for (const name of [...spellings, 'Remote~User', 'X~Access~Token']) {
    for (const path of ['/', '/public/x']) {
      visit.app.reached.length = 0
      await visit.raw({ path, headers: [cookie, `${name}: forged`] })
      await visit.raw({ path, headers: [`${name}: forged`, cookie, `${name}: forged`] })
      await visit.raw({ path, headers: [`${name}: forged`] })
      expect(!JSON.stringify(visit.app.reached).includes('forged'), name, visit.app.reached)
    }
  }
  const elsewhere = ['Host', 'Uri', 'Method', 'Proto', 'URL'].flatMap((part) => [
    [`X-Forwarded-${part}: ${part === 'Uri' || part === 'URL' ? '/public/x' : 'forged'}`],
    [`X-Original-${part}: ${part === 'URL' ? `${visit.origin}/public/x` : '/public/x'}`],
  ])
  for (const headers of elsewhere) {
    visit.app.reached.length = 0
    const { status } = await visit.raw({ path: '/', headers })
    expect(status !== 200 && visit.app.reached.length === 0, headers.join(), [status, visit.app.reached])
  }
}

/** The page strips them by itself, whatever the service says. */
async function stripped(visit: Visit): Promise<void> {
  visit.between.passAll(true)
  try {
    for (const name of spellings) {
      visit.app.reached.length = 0
      const { status } = await visit.raw({ path: '/', headers: [`${name}: forged`, `${name}: forged`] })
      const reached = JSON.stringify(visit.app.reached)
      expect(status === 200 && !reached.includes('forged'), name, [status, reached])
    }
  } finally {
    visit.between.passAll(false)
  }
}

/** Names that a visitor puts into Connection are dropped on the way by some. */
async function dropped(visit: Visit): Promise<void> {
  await signIn(visit)
  const cookie = `Cookie: ${await visit.cookie()}`
  const names = [
    ...toldHeaders,
    'X-Forwarded-Uri',
    'X-Forwarded-Host',
    'X-Forwarded-Method',
    'X-Original-URL',
    'X-Original-Method',
    'Cookie',
  ]
  for (const name of names) {
    visit.app.reached.length = 0
    const { status } = await visit.raw({ path: '/', headers: [cookie, `Connection: close, ${name}`] })
    const [who = ''] = said(last(visit), 'remote-user')
    expect(status !== 200 || who !== '', `Connection: ${name}`, [status, last(visit)])
    const admin = await visit.raw({ path: '/admin/x', headers: [cookie, `Connection: close, ${name}`] })
    expect(admin.status !== 200, `Connection: ${name} at /admin/x`, admin.text)
  }
}

const odd = [
  '/admin/x',
  '/ADMIN/x',
  '/admin',
  '/admin/',
  '//admin/x',
  '/./admin/x',
  '/x/../admin/x',
  '/x/%2e%2e/admin/x',
  '/x/..%2fadmin/x',
  '/public/../admin/x',
  '/public/%2e%2e/admin/x',
  '/public/..;/admin/x',
  '/public/..%5cadmin/x',
  '/public/..\\admin/x',
  '/public/%252e%252e/admin/x',
  '/%61dmin/x',
  '/admin%2fx',
  '/admin;a=b/x',
  '/admin%00/x',
  '/public%00/../admin/x',
  '/public/x#/../../admin/x',
  '/admin/x#',
  '/.tessera/../admin/x',
  '/.tessera/%2e%2e/admin/x',
  '/.tessera/..%2fadmin/x',
  '/.tessera/callback/../../admin/x',
  '/%2etessera/../admin/x',
  '/public/\u00e4/../../admin/x',
]

async function oddPaths(visit: Visit): Promise<void> {
  await signIn(visit)
  const cookie = `Cookie: ${await visit.cookie()}`
  for (const path of odd) {
    visit.app.reached.length = 0
    const { status } = await visit.raw({ path, headers: [cookie] })
    expect(status >= 300 && visit.app.reached.length === 0, path, [status, visit.app.reached])
  }
  for (const sign of ['-', '_', '.']) {
    visit.app.reached.length = 0
    const names = ['X-HTTP-Method-Override: DELETE', 'X-Rewrite-URL: /admin/x', 'X-Original-URL: /admin/x']
    const signed = names.map((one) => one.replace(/^[^:]+/, (name) => name.replaceAll('-', sign)))
    for (const named of signed)
      await visit.raw({ method: 'POST', path: '/x', headers: [cookie, named], body: Buffer.from('a') })
    expect(
      !/\/admin|DELETE/.test(JSON.stringify(visit.app.reached)),
      'another address or method',
      visit.app.reached,
    )
  }
}

async function reserved(visit: Visit): Promise<void> {
  await signIn(visit)
  const cookie = `Cookie: ${await visit.cookie()}`
  visit.app.reached.length = 0
  const paths = [
    '',
    'x',
    'check',
    'callback/x',
    '%2e/callback',
    'oauth2/authorize',
    '../oauth2/authorize',
    '..%2foauth2/authorize',
    'callback;x',
    'CALLBACK/',
  ]
  for (const path of paths) {
    const { status, text } = await visit.raw({ path: `/.tessera/${path}`, headers: [cookie] })
    expect([400, 403, 404].includes(status) || (status === 200 && visit.app.reached.length > 0), path, text)
  }
  const callback = await visit.raw({ path: '/.tessera/callback?code=x&state=y', headers: [cookie] })
  expect(callback.status >= 400, 'a forged callback', callback.text)
}

export const strangers: readonly Check[] = [
  ['forged headers', forged],
  ['stripped headers', stripped],
  ['dropped headers', dropped],
  ['odd paths', oddPaths],
  ['/.tessera/', reserved],
]
