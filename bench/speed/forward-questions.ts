/** A wiki behind a proxy, and what its proxy asks about. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { get } from '../load.ts'
import { forwarded, proxied, Visitor, wikiClient } from '../../server/test/forward/proxy.ts'
import { people } from '../../server/test/harness/browser.ts'
import { secret } from '../../server/test/harness/process.ts'

const root = new URL('../..', import.meta.url).pathname

const client = {
  ...wikiClient,
  routes: {
    '* /*': 'signed-in',
    'GET /assets/*': 'public',
    'POST /pages/:page': 'submissions-tool.vista-import.create',
    'GET /imports/*': 'submissions-tool.vista-import.create',
    '* /admin/*': 'submissions-tool.submission.approve',
  },
}

/** Settings of a service that this proxy may ask; the reference file with the wiki is written to the folder. */
export function forwardSettings(folder: string): Record<string, string> {
  const reference = readFileSync(join(root, 'server/test/fixtures/acme.yaml'), 'utf8')
  const path = join(folder, 'forward-auth.yaml')
  writeFileSync(path, reference.replace(/^clients:\n/m, `clients:\n  - ${JSON.stringify(client)}\n`))
  return {
    ...proxied,
    TESSERA_DECLARED: path,
    TESSERA_SECRET: secret,
    // All sign in to a few accounts, from one address.
    TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
  }
}

const browser = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-GB,en;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  Referer: 'https://wiki.example.com/pages/start',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Site': 'same-origin',
  'X-Forwarded-For': '203.0.113.7',
}

/** What Caddy asks about a page that a browser opens. */
export const question = (cookie: string, target: string): string =>
  get('/oauth2/forward-auth', { ...browser, ...Object.fromEntries(forwarded({ target })), Cookie: cookie })

/** What the application's own link to sign out asks. */
export const leaving = (cookie: string): string =>
  get('/.tessera/logout', { ...browser, ...Object.fromEntries(forwarded({})), Cookie: cookie })

/** Questions about as many requests of these sessions in turn, of which half demand a permission. */
export const questions = (cookies: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, number) => {
    const page = number % 97
    return question(
      `theme=dark; ${cookies[number % cookies.length]}`,
      number % 2 === 0 ? `/pages/${page}?edited=1` : `/imports/${page}`,
    )
  })

/** A wrong answer voids the run. */
export function expectPassed(answers: readonly string[]): void {
  const wrong = answers.find((answer) => !answer.includes(`\r\nRemote-Email: ${people.importer.email}\r\n`))
  if (wrong !== undefined) throw new Error(`The application would be told of somebody else: ${wrong}`)
}

/** People who signed in at the wiki by a real sign-in, the first by a password and the others of the same browser. */
export async function signedIn(
  { url, port }: { url: string; port: number },
  count: number,
): Promise<Visitor[]> {
  const visitors: Visitor[] = []
  for (let number = 0; number < count; number++) {
    const issuer = visitors[0]?.issuer
    const visitor = new Visitor({ url, listening: `http://127.0.0.1:${port}` }, issuer && { issuer })
    await visitor.signIn(people.importer)
    visitors.push(visitor)
  }
  return visitors
}
