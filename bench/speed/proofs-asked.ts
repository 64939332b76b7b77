import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { form, get } from '../load.ts'
import type { Service } from '../service.ts'
import { declaredAskers } from './askers.ts'
import type { Asks } from './counted.ts'
import type { Asked } from './interleaved.ts'
import { Journey } from './journey.ts'
import type { Seeded } from './seeded.ts'

const root = new URL('../../', import.meta.url).pathname
const cluster = 'https://kubernetes.default.svc.cluster.local'
const subject = 'system:serviceaccount:prod:orders'
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
const secret = 'bench-exchange-development-secret'

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const theirs = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** The reference file with clients that prove themselves in each way, all of them like `nightly-import`, which has a secret. */
export function declareProofs(folder: string): string {
  const like = {
    type: 'machine',
    services: ['submissions-tool'],
    permissions: ['submissions-tool.vista-import.create'],
    organisation: 'acme',
  }
  const jwksOf = (key: KeyObject) => ({ keys: [{ ...key.export({ format: 'jwk' }), kid: 'one' }] })
  const clients = [
    { ...like, client_id: 'bench-key', jwks: jwksOf(own.publicKey) },
    { ...like, client_id: 'bench-workload', federated: { issuer: cluster, subject } },
    {
      client_id: 'bench-exchange',
      type: 'machine',
      client_secret: secret,
      grant_types: [exchangeGrant],
      acts_as: 'submissions-tool',
      exchange: { services: ['ledger'], permissions: ['ledger.entry.read'] },
    },
  ]
  const issuers = [{ issuer: cluster, jwks: jwksOf(theirs.publicKey), organisations: ['acme'] }]
  const lines = clients
    .map((one) => `  - ${JSON.stringify({ client_name: one.client_id, ...one })}\n`)
    .join('')
  const reference = readFileSync(join(root, 'server/test/fixtures/acme.yaml'), 'utf8')
  const text = reference
    .replace('\nclients:\n', `\nassertion_issuers: ${JSON.stringify(issuers)}\n\nclients:\n${lines}`)
    // So that there is something to pass on.
    .replace('submissions-tool.vista-import.read]', 'submissions-tool.vista-import.read, ledger.entry.read]')
  const path = join(folder, 'proofs.yaml')
  writeFileSync(path, text)
  return path
}

/** Each way to prove a client, the exchange beside a refresh, and a pushed request beside one that is not. */
export async function proofAsks({ url }: Service, random: Seeded): Promise<Asks> {
  const askers = await declaredAskers(url)
  const journey = await Journey.at(url, askers, random)
  const now = () => Math.floor(Date.now() / 1000)
  const proving = (client_id: string, client_assertion: string) =>
    form('/oauth2/token', {
      grant_type: 'client_credentials',
      client_id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    })
  const ownAssertion = () =>
    signed(
      { iss: 'bench-key', sub: 'bench-key', aud: url, jti: random.text(), iat: now(), exp: now() + 240 },
      'ES256',
      own.privateKey,
    )
  const workloadToken = () =>
    signed(
      {
        iss: cluster,
        sub: subject,
        aud: [url],
        jti: random.text(),
        iat: now(),
        nbf: now(),
        exp: now() + 3600,
      },
      'RS256',
      theirs.privateKey,
    )
  const kept = workloadToken()
  let subjects: string[] = []
  let pushed: string[] = []
  return [
    ['secret', (count) => journey.batch('client_credentials', count)],
    ['own key', (count) => tokens(count, () => proving('bench-key', ownAssertion()))],
    ['federated, a new token', (count) => tokens(count, () => proving('bench-workload', workloadToken()))],
    ['federated, the same token', (count) => tokens(count, () => proving('bench-workload', kept))],
    ['authorize', (count) => journey.batch('authorize with a session', count)],
    [
      'code exchange',
      (count) => {
        const batch = journey.batch('code exchange', count)
        const check = (answers: readonly string[]) => {
          batch.check(answers)
          subjects = answers.map((answer) => fieldOf(answer, 'access_token'))
        }
        return { ...batch, check }
      },
    ],
    ['refresh', (count) => journey.batch('refresh', count)],
    [
      'token exchange',
      () =>
        asked(subjects, 200, 'access_token', (subject_token) =>
          form('/oauth2/token', {
            grant_type: exchangeGrant,
            client_id: 'bench-exchange',
            client_secret: secret,
            subject_token,
            subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
            audience: 'ledger',
          }),
        ),
    ],
    [
      'push',
      (count) => {
        const { requests } = journey.batch('authorize with a session', count)
        const one = asked(requests, 201, 'request_uri', (request) =>
          form(
            '/oauth2/par',
            Object.fromEntries(new URL(/^GET (\S+)/.exec(request)?.[1] ?? '', url).searchParams),
          ),
        )
        const check = (answers: readonly string[]) => {
          one.check(answers)
          pushed = answers.map((answer) => fieldOf(answer, 'request_uri'))
        }
        return { ...one, check }
      },
    ],
    [
      'authorize what was pushed',
      () => ({
        requests: pushed.map((request_uri) => {
          const { cookie, clientId } = askers.person()
          const query = new URLSearchParams({ client_id: clientId, request_uri })
          return get(`/oauth2/authorize?${query}`, { cookie })
        }),
        status: 303,
        check: (answers) => {
          if (!answers.every((answer) => /^location: \S+[?&]code=/im.test(answer)))
            throw new Error('No code.')
        },
      }),
    ],
  ]
}

const tokens = (count: number, make: () => string): Asked =>
  asked(Array.from({ length: count }, make), 200, 'access_token', (request) => request)

/** One request of each; every answer must have the field, and no two the same. */
function asked<From>(
  all: readonly From[],
  status: number,
  field: string,
  make: (from: From) => string,
): Asked {
  const check = (answers: readonly string[]) => {
    if (new Set(answers.map((answer) => fieldOf(answer, field))).size !== all.length)
      throw new Error(`The same ${field} twice.`)
  }
  return { requests: all.map(make), status, check }
}

function fieldOf(answer: string, name: string): string {
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>
  const value = body[name]
  if (typeof value !== 'string') throw new Error(`No ${name}: ${answer}`)
  return value
}

function signed(claims: object, alg: string, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${part({ alg, kid: 'one' })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}
