import { authorizeRequest, people, signIn, TestBrowser } from '../server/test/browser.ts'
import { cpuBetween } from './cpu.ts'
import { form, get, type Load, load } from './load.ts'
import type { Service } from './service.ts'

export interface Measured {
  name: string
  perSecond: number
  /** µs of the service's CPU for one request. */
  cpu: number
  p50: number
  p99: number
}

const connections = 16
const rounds = 3

/** Medians of three rounds for machine tokens, authorizations with a session, code exchanges and refreshes. */
export async function measureEndpoints(service: Service): Promise<Measured[]> {
  const cookie = await signedIn(service)
  const all: Measured[][] = []
  for (let round = 0; round <= rounds; round++) {
    const measured = await oneRound(service, cookie)
    // The first round warms up.
    if (round > 0) all.push(measured)
  }
  return (all[0] ?? []).map(({ name }, index) => {
    const runs = all.map((round) => round[index]).filter((run) => run !== undefined)
    const median = (of: (run: Measured) => number) =>
      runs.map(of).sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? 0
    return {
      name,
      perSecond: median((run) => run.perSecond),
      cpu: median((run) => run.cpu),
      p50: median((run) => run.p50),
      p99: median((run) => run.p99),
    }
  })
}

async function oneRound(service: Service, cookie: string): Promise<Measured[]> {
  const machine = form('/oauth2/token', {
    grant_type: 'client_credentials',
    client_id: 'nightly-import',
    client_secret: 'nightly-import-development-secret',
  })
  const machines = await measure(service, 'client_credentials', Array<string>(3000).fill(machine), 200)

  const asked = Array.from({ length: 1500 }, () => authorizeRequest())
  const authorized = await measure(
    service,
    'authorize with a session',
    asked.map(({ path }) => get(path, { cookie })),
    303,
    true,
  )
  const verifiers = new Map(asked.map(({ parameters, verifier }) => [parameters.state, verifier]))
  const exchanges = authorized.answers.map((answer) => exchangeOf(answer, verifiers))
  const exchanged = await measure(service, 'code exchange', exchanges, 200, true)

  const refreshes = exchanged.answers.map((answer) =>
    form('/v1/iam/token/refresh', {
      client_id: 'submissions-web',
      refresh_token: /"refresh_token":"([^"]+)"/.exec(answer)?.[1] ?? '',
    }),
  )
  const refreshed = await measure(service, 'refresh', refreshes, 200)
  return [machines, authorized, exchanged, refreshed]
}

function exchangeOf(answer: string, verifiers: ReadonlyMap<string | undefined, string>): string {
  const location = new URL(/^location: (.+)\r$/im.exec(answer)?.[1] ?? '')
  return form('/oauth2/token', {
    grant_type: 'authorization_code',
    client_id: 'submissions-web',
    redirect_uri: `${location.origin}${location.pathname}`,
    code: location.searchParams.get('code') ?? '',
    code_verifier: verifiers.get(location.searchParams.get('state') ?? '') ?? '',
  })
}

async function measure(
  service: Service,
  name: string,
  requests: readonly string[],
  status: number,
  keep = false,
): Promise<Measured & Pick<Load, 'answers'>> {
  const before = service.cpu()
  const run = await load(service.port, requests, connections, status, keep)
  return {
    name,
    perSecond: run.requests / run.seconds,
    cpu: cpuBetween(before, service.cpu()) / run.requests,
    p50: run.p50,
    p99: run.p99,
    answers: run.answers,
  }
}

async function signedIn(service: Service): Promise<string> {
  const browser = new TestBrowser(service.url)
  await signIn(browser, authorizeRequest().path, people.importer)
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
