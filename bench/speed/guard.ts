import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { createGuard } from '../../guard/dist/index.js'
import { createTestIssuer } from '../../guard/dist/testing.js'
import { atLeast, atMost, type Outcome } from './outcome.ts'

const audience = 'https://bench.example/api'
const permission = 'bench.figure.read'

/** What a permission check costs: of a token seen before, and of a new one beside one bare RSA verification. */
export async function guard(): Promise<Outcome> {
  const issuer = await createTestIssuer({ audience })
  const token = await issuer.token({ permissions: [permission] })
  const sent = Buffer.from(`Bearer ${token}`)
  const remembering = createGuard(issuer.guardOptions)
  // A new text each time, as a server makes it of each request.
  const known = await cheapest(8, 50_000, () =>
    allowed(remembering.check(sent.toString('latin1'), permission)),
  )
  const bare = await cheapest(8, 500, await bareVerification(issuer, token))
  const forgetful = createGuard({ ...issuer.guardOptions, rememberedTokens: 0 })
  const first = await cheapest(8, 500, () => allowed(forgetful.check(`Bearer ${token}`, permission)))
  const late = await refusedAfter()
  const row = (what: string, cpu: number) => [what, cpu.toFixed(2), (1e6 / cpu).toFixed(0)]
  return {
    tables: [
      {
        title: 'A permission check by the guard',
        head: ['what', 'CPU, µs', 'per second on one core'],
        rows: [
          row('a token seen before', known),
          row('a token not seen before', first),
          row('one bare RSA-2048 verification', bare),
        ],
      },
    ],
    bars: [
      atMost('guard, first sight of a token', first / bare, 3, '× one RSA verification'),
      atLeast('guard, a token seen before', 1e6 / known, 500_000, 'checks/s on one core'),
      atMost('guard, a token seen before is refused after its end', late, 0, 'ms late'),
    ],
    notes: ['Of the guard’s figures each is the cheapest of eight rounds, in CPU of the whole process.'],
    figures: { known, first, bare, late },
  }
}

/** How many ms after its end a token that was let in all the time is refused. */
async function refusedAfter(): Promise<number> {
  const clock = { now: Date.now() }
  const issuer = await createTestIssuer({ audience, now: () => clock.now })
  const expires = Math.floor(clock.now / 1000) + 60
  const token = await issuer.token({ permissions: [permission], exp: expires })
  const checked = createGuard({ ...issuer.guardOptions, now: () => clock.now })
  const isAllowed = async () => (await checked.check(`Bearer ${token}`, permission)).allowed
  for (; clock.now < expires * 1000; clock.now = Math.min(clock.now + 500, expires * 1000)) {
    if (!(await isAllowed())) throw new Error(`Refused ${expires * 1000 - clock.now} ms before its end.`)
  }
  while (await isAllowed()) clock.now++
  return clock.now - expires * 1000
}

async function bareVerification(
  issuer: Awaited<ReturnType<typeof createTestIssuer>>,
  token: string,
): Promise<() => unknown> {
  const address = `${issuer.issuer}/oauth2/jwks`
  const answer = await issuer.fetch(address, {
    headers: {},
    redirect: 'manual',
    signal: AbortSignal.timeout(1000),
  })
  const { keys } = (await answer.json()) as { keys: [JsonWebKey] }
  const key = createPublicKey({ key: keys[0], format: 'jwk' })
  const dot = token.lastIndexOf('.')
  const [data, signature] = [Buffer.from(token.slice(0, dot)), Buffer.from(token.slice(dot + 1), 'base64url')]
  return () => verify('sha256', data, key, signature)
}

/** A wrong answer voids the run. */
async function allowed(decision: Promise<{ allowed: boolean }>): Promise<void> {
  if (!(await decision).allowed) throw new Error('The guard refused a valid token.')
}

/** The cheapest of several rounds, because other work on the machine only ever adds. In µs of CPU per call. */
async function cheapest(rounds: number, times: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    for (let at = 0; at < times; at++) await work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / times)
  }
  return best
}
