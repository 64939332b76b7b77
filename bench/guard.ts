import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { createGuard } from '../guard/dist/index.js'
import { createTestIssuer } from '../guard/dist/testing.js'

const audience = 'https://bench.example/api'
const permission = 'bench.figure.read'

/** What a permission check costs: of a token seen before, and of a new one beside one bare RSA verification. */
export async function guard(): Promise<void> {
  const issuer = await createTestIssuer({ audience })
  const token = await issuer.token({ permissions: [permission] })
  const sent = Buffer.from(`Bearer ${token}`)
  const remembering = createGuard(issuer.guardOptions)
  // A new text each time, as a server makes it of each request.
  const known = await fastest(8, 50_000, () =>
    allowed(remembering.check(sent.toString('latin1'), permission)),
  )
  const bare = await fastest(8, 500, await bareVerification(issuer, token))
  const forgetful = createGuard({ ...issuer.guardOptions, rememberedTokens: 0 })
  const first = await fastest(8, 500, () => allowed(forgetful.check(`Bearer ${token}`, permission)))
  process.stdout.write(`| guard | value |
|---|---|
| checks of a token seen before, one core | ${Math.round(1e6 / known)}/s |
| first sight of a token, in RSA-2048 verifications | ${(first / bare).toFixed(2)} |
`)
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

/** The fastest of several rounds, because other work on the machine only ever slows one down. In µs per call. */
async function fastest(rounds: number, times: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    for (let at = 0; at < times; at++) await work()
    best = Math.min(best, ((performance.now() - start) * 1000) / times)
  }
  return best
}
