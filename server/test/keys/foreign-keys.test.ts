/** A public key of the service from before is for verifiers alone: nothing of ours takes a token by it (decisions 38). */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGuard } from '@tessera/guard'
import { createRemoteJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { runHere } from '../cli/command-support.ts'
import { authorizeRequest, claimsOf, headerOf, people, TestBrowser, tokensFor } from '../harness/browser.ts'
import { certify } from '../harness/certificates.ts'
import { onEachDatabase, onOneDatabase } from '../harness/databases.ts'
import { type Tessera, tesseraOn } from '../harness/harness.ts'
import { audiences, introspect, userinfo } from '../harness/program.ts'
import { auditOf, foreignKeysOf, sweepAt } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// How often processes look for keys.
shortenTimers({ 5000: 100 })

const hour = 3_600_000
const rsa = (modulusLength = 2048) => generateKeyPairSync('rsa', { modulusLength })
const ec = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve })
const jwkOf = (key: KeyObject, more: object = {}) =>
  JSON.stringify({ ...key.export({ format: 'jwk' }), ...more })
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const old = rsa()
const oldEc = ec()

const folder = mkdtempSync(join(tmpdir(), 'tessera-keys-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
function fileOf(text: string): string {
  const file = join(folder, `key-${++files}`)
  writeFileSync(file, text)
  return file
}

const at = (tessera: Tessera, milliseconds: number) =>
  new Date(tessera.clock.now() + milliseconds).toISOString()

async function keys(tessera: Tessera, ...line: string[]) {
  const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
  return await runHere(['keys', ...line], { environment, now: tessera.clock.now() })
}

const importing = async (tessera: Tessera, text: string, until: string, ...more: string[]) =>
  await keys(tessera, 'import-public', fileOf(text), '--until', until, ...more)

interface Published {
  keys: Record<string, unknown>[]
  cache: string | null
}

async function published({ url }: Tessera): Promise<Published> {
  const answer = await fetch(`${url}/oauth2/jwks`)
  const set = (await answer.json()) as Pick<Published, 'keys'>
  return { ...set, cache: answer.headers.get('cache-control') }
}

const kids = async (tessera: Tessera) => (await published(tessera)).keys.map(({ kid }) => kid)
const has = async (tessera: Tessera, kid: string, isThere = true) =>
  await vi.waitFor(async () => expect((await kids(tessera)).includes(kid)).toBe(isThere), { timeout: 10_000 })

onEachDatabase('a public key of another service', (dialect) => {
  const tessera = tesseraOn(dialect)
  let tokens: Record<string, string>
  beforeAll(async () => {
    tokens = await tokensFor(tessera.url, people.importer)
    const set = jwkOf(old.publicKey, { kid: 'old-rsa', alg: 'RS256', use: 'sig' })
    const done = await importing(tessera, set, at(tessera, 2 * hour), '--yes')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/^old-rsa \(RS256\) is in the key set until .* is this issuer until then/)
    const second = [at(tessera, 3 * hour), '--kid', 'old-ec', '--yes'] as const
    expect(await importing(tessera, pemOf(oldEc.publicKey), ...second)).toMatchObject({ code: 0 })
    await has(tessera, 'old-rsa')
    await has(tessera, 'old-ec')
  })

  /** The token with all its claims, by the key of the other service. */
  const forged = async (token: string | undefined, more: JWTPayload = {}, header: object = {}) =>
    await new SignJWT({ ...claimsOf(token), ...more })
      .setProtectedHeader({ ...headerOf(token), alg: 'RS256', kid: 'old-rsa', ...header })
      .sign(old.privateKey)

  it('is in the key set after ours, marked, with nothing else of it', async () => {
    const all = (await published(tessera)).keys
    expect(all.map(({ kid }) => kid).slice(2)).toEqual(['old-rsa', 'old-ec'])
    const { n, e } = old.publicKey.export({ format: 'jwk' })
    expect(all[2]).toEqual({
      kty: 'RSA',
      n,
      e,
      kid: 'old-rsa',
      use: 'sig',
      alg: 'RS256',
      tessera_foreign: true,
    })
    expect(all[3]).toMatchObject({
      kty: 'EC',
      crv: 'P-256',
      kid: 'old-ec',
      alg: 'ES256',
      tessera_foreign: true,
    })
    expect(all.slice(0, 2).every((one) => !('tessera_foreign' in one))).toBe(true)
  })

  it('serves a verifier of another make', async () => {
    const token = await forged(tokens.access_token)
    const remote = createRemoteJWKSet(new URL(`${tessera.url}/oauth2/jwks`))
    expect((await jwtVerify(token, remote, { issuer: tessera.url })).payload.sub).toBeDefined()
    const made = await new SignJWT({ sub: 'x' })
      .setProtectedHeader({ alg: 'ES256', kid: 'old-ec' })
      .sign(oldEc.privateKey)
    expect((await jwtVerify(made, remote)).payload.sub).toBe('x')
  })

  it('opens nothing here: userinfo, introspection, the administration API, a logout hint', async () => {
    const access = await forged(tokens.access_token)
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
    expect((await userinfo(tessera.url, access)).status).toBe(401)
    expect(await introspect(tessera.url, access)).toEqual({ active: false })
    const admin = await forged(tokens.access_token, {
      aud: `${tessera.url}/admin/v1`,
      permissions: ['iam.users.read', 'iam.keys.read'],
    })
    for (const path of ['/admin/v1/users', '/admin/v1/keys', '/admin/v1/me']) {
      const answer = await fetch(`${tessera.url}${path}`, { headers: { authorization: `Bearer ${admin}` } })
      expect(answer.status).toBe(401)
    }
    const logout = `/oauth2/logout?id_token_hint=${await forged(tokens.id_token)}`
    expect((await new TestBrowser(tessera.url).open(logout)).status).toBe(400)
    const hinted = authorizeRequest({ id_token_hint: await forged(tokens.id_token), prompt: 'none' })
    const refused = await new TestBrowser(tessera.url).open(hinted.path)
    expect(refused.location).not.toContain('code=')
  })

  it('is refused by the guard, which takes ours', async () => {
    const guard = createGuard({ issuer: tessera.url, audience: audiences.submissions })
    const permission = 'submissions-tool.vista-import.create'
    const ours = await guard.check(`Bearer ${tokens.access_token}`, permission)
    expect(ours.allowed).toBe(true)
    const theirs = await guard.check(`Bearer ${await forged(tokens.access_token)}`, permission)
    expect(theirs).toMatchObject({ allowed: false, status: 401 })
  })

  it('is listed and recorded', async () => {
    const listed = await keys(tessera, 'list')
    expect(listed.stdout).toMatch(/old-rsa\tRS256\tof another service, for verifiers alone/)
    const json = JSON.parse((await keys(tessera, 'list', '--json')).stdout) as { items: object[] }
    expect(json.items).toHaveLength(4)
    const records = await auditOf(tessera, { kind: 'signing_key.imported' })
    expect(records).toHaveLength(2)
    expect(records[0]).toMatchObject({
      actor: { kind: 'command' },
      target: { kind: 'signing_key', id: 'old-rsa' },
      after: { alg: 'RS256', published_until: expect.stringMatching(/Z$/) },
    })
  })

  it('is refused where the key set has its kid, of ours too', async () => {
    const [own] = await kids(tessera)
    for (const kid of ['old-rsa', String(own)]) {
      const text = jwkOf(rsa().publicKey, { kid })
      const refused = await importing(tessera, text, at(tessera, hour), '--yes')
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('a key with this kid already'),
      })
    }
    expect(await auditOf(tessera, { kind: 'signing_key.imported' })).toHaveLength(2)
  })

  it('is no key of ours to rotations, which come and go beside it', async () => {
    expect(await keys(tessera, 'rotate')).toMatchObject({ code: 0 })
    await vi.waitFor(async () => expect(await kids(tessera)).toHaveLength(6), { timeout: 10_000 })
    expect(headerOf((await tokensFor(tessera.url, people.importer)).access_token).kid).not.toMatch(/^old/)
  })

  it('leaves the key set at its end, without a restart, and no cache outlives it', async () => {
    expect((await published(tessera)).cache).toBe('public, max-age=600')
    tessera.clock.advance(2 * hour - 3 * 60_000)
    expect((await published(tessera)).cache).toMatch(/^public, max-age=1[5-8]\d$/)
    tessera.clock.advance(4 * 60_000)
    expect(await kids(tessera)).not.toContain('old-rsa')
    expect(await kids(tessera)).toContain('old-ec')
    expect((await published(tessera)).cache).toBe('public, max-age=600')
    await sweepAt(tessera, tessera.clock.now())
    expect(await foreignKeysOf(tessera)).toEqual(['old-ec'])
    // Its name is free again.
    const again = await importing(
      tessera,
      jwkOf(old.publicKey, { kid: 'old-rsa' }),
      at(tessera, hour),
      '--yes',
    )
    expect(again).toMatchObject({ code: 0 })
    await has(tessera, 'old-rsa')
  })

  it('can be taken back', async () => {
    expect(await keys(tessera, 'withdraw-public', 'old-ec')).toMatchObject({ code: 0, stderr: '' })
    await has(tessera, 'old-ec', false)
    expect(await auditOf(tessera, { kind: 'signing_key.withdrawn' })).toMatchObject([
      { target: { kind: 'signing_key', id: 'old-ec' } },
    ])
    const [own] = await kids(tessera)
    for (const kid of ['old-ec', String(own), randomUUID()]) {
      const refused = await keys(tessera, 'withdraw-public', kid)
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('No public key') })
    }
  })
})

onOneDatabase('tessera keys import-public', (dialect) => {
  const tessera = tesseraOn(dialect)
  const soon = () => at(tessera, hour)
  const refusal = async (text: string, until = soon(), ...more: string[]) => {
    const { code, stdout, stderr } = await importing(tessera, text, until, '--yes', ...more)
    expect([code, stdout]).toEqual([1, ''])
    return stderr
  }
  const nothing = async () => expect(await kids(tessera)).toHaveLength(2)

  it('asks first, and says what it means', async () => {
    const file = fileOf(jwkOf(old.publicKey, { kid: 'a' }))
    const line = ['keys', 'import-public', file, '--until', soon()]
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
    const now = tessera.clock.now()
    const alone = await runHere(line, { environment, now })
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringMatching(/is this issuer until .*add --yes/)])
    const no = await runHere(line, { environment, now, terminal: true, input: 'n\n' })
    expect([no.code, no.stderr]).toEqual([1, expect.stringContaining('Whoever holds the private half of a')])
    await nothing()
    const yes = await runHere(line, { environment, now, terminal: true, input: 'y\n' })
    expect(yes.code).toBe(0)
    await keys(tessera, 'withdraw-public', 'a')
    await has(tessera, 'a', false)
  })

  const { privateKey } = old
  it.each([
    ['PEM', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['PEM of an old kind', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['PEM behind a public one', pemOf(old.publicKey) + privateKey.export({ type: 'pkcs8', format: 'pem' })],
    ['JWK', jwkOf(privateKey, { kid: 'a' })],
    ['JWK of a curve', jwkOf(oldEc.privateKey, { kid: 'a' })],
    ['secret', JSON.stringify({ kty: 'oct', k: 'c2VjcmV0', kid: 'a' })],
    ['one in a key set beside', `{"keys":[${jwkOf(rsa().publicKey, { kid: 'a' })},${jwkOf(privateKey)}]}`],
  ])('refuses a private key, and repeats nothing of it: %s', async (_, text) => {
    const told = await refusal(text, soon(), '--kid', 'a')
    expect(told).toContain('THE FILE HOLDS A PRIVATE KEY')
    const { d = '', p = '' } = privateKey.export({ format: 'jwk' })
    for (const part of [d, p, 'c2VjcmV0', text.slice(8, 60)]) expect(told).not.toContain(part)
    await nothing()
  })

  const named = ['--kid', 'a']
  it.each<[string, string, RegExp, string[]?]>([
    ['no key', 'hello', /holds no public key/],
    ['an empty file', '', /holds no public key/],
    ['JSON that is no key', '[]', /holds no public key/],
    ['a key set with nothing', '{"keys":[]}', /no key that is for signatures/],
    ['null in a key set', '{"keys":[null]}', /holds no public key/],
    ['PEM that is broken', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /no public key/],
    ['RSA of 1024 bits', jwkOf(rsa(1024).publicKey, { kid: 'a' }), /2048/],
    ['another curve', jwkOf(ec('P-384').publicKey, { kid: 'a' }), /P-256/],
    ['Ed25519', jwkOf(generateKeyPairSync('ed25519').publicKey, { kid: 'a' }), /P-256/],
    [
      'RSA for PSS alone',
      pemOf(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey),
      /RSA/,
      named,
    ],
    [
      'a point off the curve',
      jwkOf(oldEc.publicKey, { kid: 'a', x: oldEc.publicKey.export({ format: 'jwk' }).y }),
      /no public/,
    ],
    ['a weak exponent', jwkOf(old.publicKey, { kid: 'a', e: 'AQ' }), /exponent|no public key/],
    ['a key for encryption', jwkOf(old.publicKey, { kid: 'a', use: 'enc' }), /for signatures/],
    ['an algorithm of no signature', jwkOf(old.publicKey, { kid: 'a', alg: 'RSA-OAEP' }), /alg/],
    ['an algorithm of another kind', jwkOf(oldEc.publicKey, { kid: 'a', alg: 'RS256' }), /alg/],
    ['no kid', pemOf(old.publicKey), /add --kid/],
    ['an empty kid', jwkOf(old.publicKey, { kid: '' }), /1 to 255/],
    ['a kid with an escape', jwkOf(old.publicKey, { kid: '\u001B[2J' }), /visible/],
    ['a kid that is long', jwkOf(old.publicKey, { kid: 'a'.repeat(256) }), /1 to 255/],
    ['a kid that is no text', jwkOf(old.publicKey, { kid: 7 }), /no text/],
    ['another kid than is said', jwkOf(old.publicKey, { kid: 'b' }), /another kid/, named],
    [
      'two keys',
      `{"keys":[${jwkOf(old.publicKey, { kid: 'a' })},${jwkOf(oldEc.publicKey, { kid: 'b' })}]}`,
      /which/,
    ],
    ['two keys in PEM', pemOf(old.publicKey) + pemOf(oldEc.publicKey), /more than one/, named],
    ['more than a key', ' '.repeat(70_000), /larger/],
  ])('refuses %s', async (_, text, why, more = []) => {
    expect(await refusal(text, soon(), ...more)).toMatch(why)
    await nothing()
  })

  it.each([
    ['later than a day', () => at(tessera, 25 * hour), /a day ahead at most/],
    ['in the past', () => at(tessera, -1), /has passed/],
    ['without a zone', () => soon().slice(0, -1), /with its zone/],
    ['of words', () => 'tomorrow', /with its zone/],
    ['of no day', () => '2026-13-45T00:00:00Z', /with its zone/],
  ])('refuses an end %s', async (_, until, why) => {
    expect(await refusal(jwkOf(old.publicKey, { kid: 'a' }), until())).toMatch(why)
    await nothing()
  })

  it('takes one of a key set, as Keycloak serves it, and a certificate', async () => {
    const encryption = jwkOf(rsa().publicKey, { kid: 'enc', use: 'enc', alg: 'RSA-OAEP' })
    const signing = jwkOf(old.publicKey, {
      kid: 'sig',
      use: 'sig',
      alg: 'PS256',
      x5c: ['x'],
      'x5t#S256': 'x',
    })
    const set = `{"keys":[${encryption},${signing}]}`
    expect(await importing(tessera, set, soon(), '--yes', '--kid', 'sig')).toMatchObject({ code: 0 })
    const { certificate } = certify('old.example', { host: 'old.example' })
    const done = await importing(tessera, certificate, soon(), '--yes', '--kid', 'cert')
    expect([done.code, done.stderr]).toEqual([0, ''])
    await has(tessera, 'cert')
    const all = (await published(tessera)).keys
    expect(all.find(({ kid }) => kid === 'sig')).toMatchObject({ alg: 'PS256' })
    expect(all.flatMap(Object.keys)).not.toContain('x5c')
  })
})
