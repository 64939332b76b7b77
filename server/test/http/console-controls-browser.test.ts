/** Each control of each page of the console can be pressed: nothing lies over it, however wide the letters are. */
import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, intake, users } from '../administration/support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { giveConsents } from '../harness/states.ts'
import { importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { consoleOn, turnTo } from './console-page.ts'

const widths = [1440, 1280, 1024, 390]
const routes = readFileSync(new URL('../../../console/src/routes.tsx', import.meta.url), 'utf8')
/** A unit stands below its organisation, whose own page is `/` there. */
const paths = new Set(
  [...routes.matchAll(/(?: path: | at\(\s*)'([^']+)'/g)].map(([, path = '']) =>
    path.startsWith('/units/') ? `/organisations/$uuid${path}` : path,
  ),
)

/** The controls that are seen and enabled, and what lies over each instead. */
const covered = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const wrong = []
    for (const one of document.querySelectorAll('a[href], button, input, select, textarea, summary')) {
      if (one.disabled || !one.checkVisibility({ visibilityProperty: true }) || one.matches('.skip')) continue
      one.scrollIntoView({ block: 'center', inline: 'center' })
      // A link may be in two lines, with something else between.
      const { x, y, width, height } = one.getClientRects()[0]
      const at = document.elementFromPoint(x + width / 2, y + height / 2)
      if (!one.contains(at)) wrong.push(one.outerHTML.slice(0, 120) + ' lies under ' + at?.outerHTML.slice(0, 80))
    }
    return wrong
  })()`)

/** The requests that are not answered yet. */
async function requestsOf(page: Page): Promise<Set<Request>> {
  // What has no end: the page would never be at rest. A route of Playwright's would do without the browser's cache.
  const browser = await page.context().newCDPSession(page)
  await browser.send('Network.enable')
  await browser.send('Network.setBlockedURLs', { urls: ['*/admin/v1/audit/stream*'] })
  const asked = new Set<Request>()
  page.on('request', (one) => asked.add(one))
  const ended = (one: Request) => void asked.delete(one)
  page.on('requestfinished', ended).on('requestfailed', ended)
  return asked
}

/** Until nothing is awaited any more: what an answer brings may ask again, within the frames that draw it. */
async function atRest(page: Page, asked: ReadonlySet<Request>): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    const waits = await page.evaluate<boolean>(
      `new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(document.querySelector('.waiting') !== null))))`,
    )
    quiet = waits || asked.size > 0 ? 0 : quiet + 1
  }
}

describe('controls of the console', () => {
  const { tessera, open } = consoleOn('sqlite')
  /** The addresses to look at by their route. */
  let addresses: Record<string, string[]>
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    await importEnrolled(tessera, ['wide'])
    const wide = personOf('wide')
    const [{ uuid } = {}] = await admin.all(`/users?q=${wide.email}`)
    await admin.patch(`/users/${String(uuid)}`, { name: 'Friederike Wilhelmine von Hohenstein-Waldenburg' })
    for (const agent of ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/147.0', '']) {
      const browser = new TestBrowser(tessera.url)
      browser.headers['user-agent'] = agent
      await signIn(browser, authorizeRequest().path, people.importer)
    }
    await giveConsents(tessera, { user_uuid: users.importer, client_id: 'partner-portal', scope: 'openid' })
    const [record] = await admin.all(`/audit?user_uuid=${users.importer}`)
    const person = (part: string) => `/people/${users.importer}/${part}`
    const ofClient = (part: string) => `/applications/submissions-web/${part}`
    const permission = 'submissions-tool.vista-import.create'
    const organisation_uuid = acme
    const issuer = 'https://login.acme.example'
    const oidc = {
      organisation_uuid,
      code: 'entra',
      name: 'Entra',
      kind: 'oidc',
      issuer,
      client_id: 'tessera',
    }
    const upstream = `/upstreams/${String((await admin.post('/upstreams', oidc)).json.uuid)}`
    const scim = { organisation_uuid, code: 'scim', name: 'People' }
    const directory = `/directories/${String((await admin.post('/directories', scim)).json.uuid)}`
    const hook = {
      url: 'https://hooks.acme.example/tessera',
      kinds: ['user.*', 'role.*', 'sign_in.failed', 'client.*'],
    }
    const webhook = `/webhooks/${String((await admin.post('/webhooks', hook)).json.uuid)}`
    addresses = {
      '/': ['/'],
      '/signed-in': ['/signed-in'],
      '/people': ['/people'],
      '/people/new': ['/people/new'],
      '/people/move-in': ['/people/move-in'],
      '/people/import': ['/people/import'],
      '/people/invitations': ['/people/invitations'],
      '/people/$uuid': [`/people/${users.importer}`],
      '/people/$uuid/$part': [
        ...['sessions', 'applications', 'history', 'settings'].map(person),
        `/people/${String(uuid)}/factors`,
      ],
      '/applications': ['/applications'],
      '/applications/new': ['/applications/new'],
      '/applications/$id': ['/applications/submissions-web'],
      '/applications/$id/$part': ['settings', 'secrets', 'preview', 'try', 'activity'].map(ofClient),
      '/try': ['/try?state=none'],
      '/organisations': ['/organisations'],
      '/organisations/$uuid': [`/organisations/${acme}`],
      '/organisations/$uuid/units/$unit': [`/organisations/${acme}/units/${intake}`],
      '/roles': ['/roles'],
      '/roles/$code': ['/roles/importer'],
      '/roles/$code/$part': ['/roles/importer/settings'],
      '/services': ['/services'],
      '/services/$code': ['/services/submissions-tool'],
      '/file': ['/file'],
      '/policy': ['/policy'],
      '/branding': ['/branding', `/branding?organisation=${acme}`],
      '/settings': ['/settings', '/settings?q=mail'],
      '/settings/issuers': ['/settings/issuers'],
      '/services/$code/$part': ['settings', 'roles'].map((part) => `/services/submissions-tool/${part}`),
      '/access': [],
      '/access/why': ['/access/why', `/access/why?user=${users.importer}&permission=ledger.entry.read`],
      '/access/who': [`/access/who?permission=${permission}`],
      '/access/compare': ['/access/compare', `/access/compare?left=${users.importer}&right=${users.both}`],
      '/access/what-if': [
        '/access/what-if',
        `/access/what-if?draft=disable,users,${users.importer};takes,reader,${permission}`,
      ],
      '/upstreams': ['/upstreams'],
      '/upstreams/new': ['/upstreams/new'],
      '/upstreams/$uuid': [upstream],
      '/upstreams/$uuid/$part': ['mapping', 'settings', 'activity'].map((part) => `${upstream}/${part}`),
      '/directories/$uuid': [directory],
      '/directories/$uuid/$part': ['mapping', 'settings'].map((part) => `${directory}/${part}`),
      '/webhooks': ['/webhooks'],
      '/webhooks/$uuid': [webhook],
      '/webhooks/$uuid/$part': ['settings', 'activity'].map((part) => `${webhook}/${part}`),
      '/mails': ['/mails'],
      '/keys': ['/keys'],
      '/audit': ['/audit'],
      '/audit/$sequence': [`/audit/${String(record?.sequence)}`],
    }
  })

  it('is looked at on every page', () => {
    expect(paths.size).toBeGreaterThan(20)
    expect(Object.keys(addresses).sort()).toEqual([...paths].sort())
  })

  it.each(['en', 'de'])('can be pressed at every width, in %s', async (language) => {
    const { context, page } = await open(people.admin)
    await page.evaluate(`localStorage.setItem('tessera-console-language', '${language}')`)
    await page.reload()
    await page.locator(`html[lang=${language}] main h1`).waitFor()
    const asked = await requestsOf(page)
    const found: string[] = []
    for (const address of Object.values(addresses).flat()) {
      await turnTo(page, address)
      await atRest(page, asked)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 })
        found.push(...(await covered(page)).map((one) => `${address} at ${width}: ${one}`))
      }
    }
    expect(found).toEqual([])
    await context.close()
  })
})
