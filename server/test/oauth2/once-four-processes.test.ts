/** What counts once counts once in four processes of the system too (decisions 34, 5 and 8). */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator } from '../administration/support.ts'
import { startTwoProcesses, type TwoProcesses } from '../cli/two-processes.ts'
import { authorizeRequest, people, post, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { cleanUp, Serving } from '../harness/process.ts'
import { type Answer, refusalOf, token } from '../harness/program.ts'
import { must } from './exchange-support.ts'
import { pushed } from './par-support.ts'
import { assertionType, keyOf, type Signing, signed } from './workload-tokens.ts'

const times = 50
const rounds = 2

afterAll(cleanUp)

onEachDatabase('four processes', (dialect) => {
  let both: TwoProcesses
  let urls: string[]
  let key: Signing
  beforeAll(async () => {
    const unlimited = {
      TESSERA_LIMIT_CLIENT_AUTH: '0',
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LIMIT_AUTHORIZE: '0',
    }
    both = await startTwoProcesses(dialect, unlimited, 'administered')
    const others = await Promise.all([3, 4].map(async () => await Serving.start(both.environment)))
    urls = [both.first, both.second, ...others.map(({ url }) => url)]
    both.proxy.balance(urls)
    key = await keyOf('ES256', 'one')
    const robot = { client_id: 'robot', client_name: 'Robot', type: 'machine', services: [], permissions: [] }
    const admin = await Administrator.machine(both.url)
    must(await admin.post('/clients', { ...robot, jwks: { keys: [key.jwk] } }), 201)
  })
  afterAll(async () => {
    // Those that are on the database before it is removed.
    await cleanUp()
    await both.close()
  })

  /** All at the same time, of each process as often as of the next. */
  const everywhere = async <T>(ask: (url: string, index: number) => Promise<T>): Promise<T[]> =>
    await Promise.all(
      Array.from({ length: times }, (_, index) => ask(urls[index % urls.length] ?? '', index)),
    )
  const expectWinners = (winners: number, answers: readonly Answer[], refusal: string) => {
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(refusalOf)).toEqual(Array<string>(answers.length - winners).fill(refusal))
  }

  let made = 0
  async function proof() {
    const exp = Math.floor(Date.now() / 1000) + 60
    const claims = { iss: 'robot', sub: 'robot', aud: both.url, jti: `${++made}`, exp }
    return { client_assertion_type: assertionType, client_assertion: await signed(claims, key) }
  }

  it('take one assertion once, and not later either', async () => {
    for (let round = 0; round < rounds; round++) {
      const form = { grant_type: 'client_credentials', ...(await proof()) }
      for (const winners of [1, 0])
        expectWinners(winners, await everywhere((url) => token(url, form)), '401 invalid_client')
    }
  })

  it('take one assertion once, whichever endpoints it is sent to', async () => {
    for (let round = 0; round < rounds; round++) {
      const proven = await proof()
      const paths = ['token', 'introspect', 'revoke']
      const form = { grant_type: 'client_credentials', token: 'unknown', ...proven }
      const ask = async (url: string, index: number) =>
        await post(`${url}/oauth2/${paths[index % paths.length]}`, form)
      expectWinners(1, await everywhere(ask), '401 invalid_client')
    }
  })

  it('answer one pushed request with one code, and that with tokens once', async () => {
    const browser = new TestBrowser(both.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    const headers = { cookie: browser.cookieHeader(), accept: 'text/html' }
    for (let round = 0; round < rounds; round++) {
      const one = await pushed(both.url)
      const answers = await everywhere(async (url) => {
        const { status, headers: told } = await fetch(`${url}${one.path}`, { redirect: 'manual', headers })
        return { status, location: told.get('location') }
      })
      expect(answers.filter(({ status, location }) => status === 400 && location === null)).toHaveLength(
        times - 1,
      )
      const [location] = answers.flatMap((answer) => answer.location ?? [])
      const code = new URL(location ?? '').searchParams.get('code') ?? ''
      const { client_id = '', redirect_uri = '' } = one.parameters
      const form = {
        grant_type: 'authorization_code',
        ...{ client_id, redirect_uri, code, code_verifier: one.verifier },
      }
      expectWinners(1, await everywhere((url) => token(url, form)), '400 invalid_grant')
    }
  })
})
