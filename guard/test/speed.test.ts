import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { createGuard } from '../src/index.ts'
import { createTestIssuer } from '../src/testing.ts'
import { audience, create } from './issuer.ts'

/** The fastest of several rounds, because other work on the machine only ever slows one down. In µs per call. */
async function fastest(rounds: number, times: number, work: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    for (let at = 0; at < times; at += 1) await work()
    best = Math.min(best, ((performance.now() - start) * 1000) / times)
  }
  return best
}

it('a check is a look-up for a token seen before, and hardly more than one RSA verification for a new one', async () => {
  const issuer = await createTestIssuer({ audience })
  const token = await issuer.token({ permissions: [create] })
  const sent = Buffer.from(`Bearer ${token}`)
  const guard = createGuard(issuer.guardOptions)
  // A new text each time, as a server makes it of each request.
  const known = await fastest(8, 50_000, () => guard.check(sent.toString('latin1'), create))

  const { keys } = (await (
    await issuer.fetch(`${issuer.issuer}/oauth2/jwks`, {
      headers: {},
      redirect: 'manual',
      signal: AbortSignal.timeout(1000),
    })
  ).json()) as { keys: [JsonWebKey] }
  const key = createPublicKey({ key: keys[0], format: 'jwk' })
  const dot = token.lastIndexOf('.')
  const [data, signature] = [Buffer.from(token.slice(0, dot)), Buffer.from(token.slice(dot + 1), 'base64url')]
  const bare = await fastest(8, 500, () => verify('sha256', data, key, signature))
  const forgetful = createGuard({ ...issuer.guardOptions, rememberedTokens: 0 })
  const first = await fastest(8, 500, () => forgetful.check(`Bearer ${token}`, create))

  console.log(
    `${Math.round(1e6 / known)} checks/s; first sight ${(first / bare).toFixed(2)} × one verification`,
  )
  expect(1e6 / known).toBeGreaterThan(500_000)
  expect(first / bare).toBeLessThan(3)
})
