import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { createGuard } from '../../guard/dist/index.js'
import { createTestIssuer } from '../../guard/dist/testing.js'
import { atLeast, atMost, type Outcome } from './outcome.ts'

const audience = 'https://bench.example/api'
const permission = 'bench.figure.read'

/**
 * What a permission check costs: of a token seen before, of a new one beside one bare RSA verification, and of one that
 * is bound to a key beside one bare verification of P-256.
 */
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
  const bound = await boundCosts()
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
          row('a bound token seen before, with a new proof (DPoP)', bound.proved),
          row('one bare P-256 verification', bound.bare),
          row('a Bearer token seen before, where DPoP is on', bound.bearer),
        ],
      },
    ],
    bars: [
      atMost('guard, first sight of a token', first / bare, 3, '× one RSA verification'),
      atLeast('guard, a token seen before', 1e6 / known, 500_000, 'checks/s on one core'),
      atMost('guard, a bound token with its proof', bound.ratio, 1.3, '× one P-256 verification'),
      atMost(
        'guard, a Bearer token seen before, where DPoP is on',
        bound.bearerRatio,
        1.1,
        '× where it is off',
      ),
      atMost('guard, a token seen before is refused after its end', late, 0, 'ms late'),
    ],
    notes: ['Of the guard’s figures each is the cheapest of eight rounds, in CPU of the whole process.'],
    figures: { known, first, bare, late, bound },
  }
}

/**
 * A request with a proof, and one verification of that proof's signature, in turn; and Bearer with the option and
 * without.
 */
async function boundCosts() {
  const issuer = await createTestIssuer({ audience })
  const usual = createGuard(issuer.guardOptions)
  const guarded = createGuard({ ...issuer.guardOptions, dpop: { origin: 'https://bench.example' } })
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { crv, kty, x, y } = publicKey.export({ format: 'jwk' })
  const jkt = hash(JSON.stringify({ crv, kty, x, y }))
  const token = await issuer.token({ permissions: [permission], cnf: { jkt } })
  const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } }
  const headers = { host: 'bench.example', authorization: `DPoP ${token}` }
  const plain = `Bearer ${await issuer.token({ permissions: [permission] })}`
  const rounds: { proved: number; bare: number; bearer: number; off: number }[] = []
  for (let round = 0; round < 8; round++) {
    const proofs = Array.from({ length: 1000 }, () => proofOf(header, token, privateKey))
    const signed = proofs.map(split)
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    let [at, again] = [0, 0]
    const proved = await cheapest(1, proofs.length, () => {
      const dpop = proofs[at++] ?? ''
      return allowed(
        guarded.check({ method: 'POST', url: '/figures', headers: { ...headers, dpop } }, permission),
      )
    })
    const bare = await cheapest(1, proofs.length, () => {
      const [data, signature] = signed[again++] ?? [Buffer.alloc(0), Buffer.alloc(0)]
      if (!verify('sha256', data, key, signature)) throw new Error('A proof is not signed by its key.')
    })
    const off = await cheapest(1, 50_000, () => allowed(usual.check(plain, permission)))
    const bearer = await cheapest(1, 50_000, () => allowed(guarded.check(plain, permission)))
    rounds.push({ proved, bare, bearer, off })
  }
  const least = (of: 'proved' | 'bare' | 'bearer' | 'off') => Math.min(...rounds.map((one) => one[of]))
  const [proved, bare, bearer] = [least('proved'), least('bare'), least('bearer')]
  return { proved, bare, bearer, ratio: proved / bare, bearerRatio: bearer / least('off') }
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url')

function proofOf(header: object, token: string, key: KeyObject): string {
  const iat = Math.floor(Date.now() / 1000)
  const htu = 'https://bench.example/figures'
  const claims = { jti: crypto.randomUUID(), htm: 'POST', htu, iat, ath: hash(token) }
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

function split(token: string): [data: Buffer, signature: Buffer] {
  const dot = token.lastIndexOf('.')
  return [Buffer.from(token.slice(0, dot)), Buffer.from(token.slice(dot + 1), 'base64url')]
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
  const [data, signature] = split(token)
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
