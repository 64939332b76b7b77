import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGuard } from '@tessera/guard'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { KeyRing } from '../../dist/keys/key-ring.js'
import { keyTimes } from '../../dist/keys/key-times.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import {
  createDatabase,
  type Dialect,
  onEachDatabase,
  onOneDatabase,
  type TestDatabase,
} from '../harness/databases.ts'

const minute = 60_000
const issuer = 'https://id.acme.example'
const audience = 'https://submissions.acme.example/api'
const tokenLife = 15 * minute
const secret = 'a-secret-of-the-tests-0123456789-abcdef'

const algs = ['RS256', 'ES256'] as const

/** A verifier that takes the key set for as long as it may be cached, and never asks for a key it does not know. */
class CachingVerifier {
  #keys: ReturnType<typeof createLocalJWKSet> | undefined
  #fetchedAt = -Infinity
  readonly #maxAge: number
  readonly #fetch: () => Promise<JSONWebKeySet>

  constructor(fetch: () => Promise<JSONWebKeySet>, maxAge: number) {
    this.#fetch = fetch
    this.#maxAge = maxAge
  }

  async accepts(jwt: string, now: number): Promise<boolean> {
    if (this.#keys === undefined || now - this.#fetchedAt >= this.#maxAge) {
      this.#keys = createLocalJWKSet(await this.#fetch())
      this.#fetchedAt = now
    }
    const options = { issuer, audience, typ: 'at+jwt', currentDate: new Date(now) }
    return await jwtVerify(jwt, this.#keys, options).then(
      () => true,
      () => false,
    )
  }
}

/** The signing keys in a process of its own (`key-process.mjs`), at the time of the test's clock. */
class KeyProcess {
  readonly started: Promise<unknown>
  readonly #child: ChildProcess
  readonly #clock: { ms: number }
  readonly #waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (why: Error) => void }>()
  #asked = 0

  /** The few RSA keys that it makes are kept in `made`, and taken again and again. */
  constructor(databaseUrl: string, clock: { ms: number }, made: string) {
    this.#clock = clock
    this.started = new Promise((resolve, reject) => this.#waiting.set(0, { resolve, reject }))
    const script = new URL('key-process.mjs', import.meta.url).pathname
    this.#child = fork(script, [databaseUrl, secret, String(clock.ms), made], { stdio: 'inherit' })
    this.#child.on('message', ({ id, answer }: { id: number; answer?: unknown }) => {
      this.#waiting.get(id)?.resolve(answer)
      this.#waiting.delete(id)
    })
    this.#child.once('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`The process ended with ${code}.`))
    })
  }

  async rotate(): Promise<string[]> {
    return (await this.#ask('rotate')) as string[]
  }

  async reload(): Promise<void> {
    await this.#ask('reload')
  }

  async jwks(): Promise<JSONWebKeySet & { keys: { kid: string }[] }> {
    return (await this.#ask('jwks')) as JSONWebKeySet & { keys: { kid: string }[] }
  }

  async sign(claims: JWTPayload, alg: (typeof algs)[number]): Promise<string> {
    return (await this.#ask('sign', { claims, alg })) as string
  }

  async end(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.disconnect()
    await ended
  }

  async #ask(question: string, about?: unknown): Promise<unknown> {
    const id = ++this.#asked
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#child.send({ id, now: this.#clock.ms, question, about })
    })
  }
}

const keysMade = mkdtempSync(join(tmpdir(), 'tessera-test-keys-'))
afterAll(() => rmSync(keysMade, { recursive: true, force: true }))

/** A database with two stores, as of two processes, while the tests of the describe block run. */
function storesOn(dialect: Dialect) {
  const on = {} as { database: TestDatabase; stores: Store[] }
  beforeAll(async () => {
    const database = await createDatabase(dialect, 'empty')
    Object.assign(on, { database, stores: [await openStore(database.url), await openStore(database.url)] })
  })
  afterAll(async () => {
    for (const store of on.stores) await store.close()
    await on.database.remove()
  })
  return on
}

onEachDatabase('the signing keys', (dialect) => {
  const on = storesOn(dialect)
  const clock = { ms: Date.UTC(2030, 0, 1) }
  const now = () => clock.ms
  const ringOn = (store: Store | undefined) => {
    if (store === undefined) throw new Error('There are two stores.')
    return KeyRing.open({
      store,
      secret,
      now,
      keyLead: keyTimes.leastLead,
      longestTokenLife: keyTimes.longestClientToken,
    })
  }
  const bothRings = async () => await Promise.all([ringOn(on.stores[0]), ringOn(on.stores[1])])
  const kids = (ring: KeyRing) => ring.jwks().keys.map(({ kid }) => kid)

  it('are made once by two processes that start at the same time on an empty database', async () => {
    const [one, other] = await bothRings()
    expect(one.jwks().keys.map(({ alg }) => alg)).toEqual(algs)
    expect(kids(other)).toEqual(kids(one))
  })

  it('are rotated once by processes that rotate at the same time', async () => {
    const rings = [...(await bothRings()), ...(await bothRings())]
    const made = await Promise.all(rings.map((ring) => ring.rotate()))
    expect(new Set(made.flat()).size).toBe(2)
    for (const ring of rings) expect(kids(ring)).toHaveLength(4)
    clock.ms += keyTimes.leastLead
  })

  it('are rotated when they are due, and not before', async () => {
    const [one, other] = await bothRings()
    const day = 24 * 60 * minute
    clock.ms += 89 * day
    await Promise.all([one.rotateIfDue(90 * day), other.rotateIfDue(90 * day)])
    const before = kids(one)
    clock.ms += day
    await Promise.all([one.rotateIfDue(90 * day), other.rotateIfDue(90 * day)])
    await Promise.all([one.rotateIfDue(90 * day), other.rotateIfDue(90 * day)])
    expect(kids(one)).toHaveLength(before.length + 2)
    expect(kids(other)).toEqual(kids(one))
    clock.ms += keyTimes.leastLead
  })
})

// About what verifiers keep, and when: each rotation is the same on both databases, as the tests above say.
onOneDatabase('the signing keys', (dialect) => {
  const on = storesOn(dialect)
  const clock = { ms: Date.UTC(2030, 0, 1) }
  const now = () => clock.ms

  it('rotate a hundred times over two processes while tokens are made, and no verifier ever fails', async () => {
    const processNamed = (name: string) => {
      const folder = join(keysMade, name)
      mkdirSync(folder, { recursive: true })
      return new KeyProcess(on.database.url, clock, folder)
    }
    const processes = [processNamed('signer'), processNamed('rotator')] as const
    const [signer, rotator] = processes
    for (const one of processes) await one.started
    const kidsOf = async (one: KeyProcess) => (await one.jwks()).keys.map(({ kid }) => kid)
    const first = await kidsOf(signer)
    const signedBy = new Set<string>()
    const guard = createGuard({
      issuer,
      audience,
      now,
      // Worst for the guard: an unknown key is no reason to ask.
      unknownKeyCooldownMs: 60 * minute,
      fetch: async (url) => {
        const found = { issuer, jwks_uri: `${issuer}/oauth2/jwks` }
        return Response.json(url.endsWith('/oauth2/jwks') ? await rotator.jwks() : found)
      },
    })
    const verifiers = processes.map((one) => new CachingVerifier(() => one.jwks(), keyTimes.jwksCache))
    const careless = new CachingVerifier(() => signer.jwks(), 180 * minute)
    let alive: { jwt: string; expires: number }[] = []
    const failures: string[] = []
    let carelessFailures = 0
    const mint = async (by: KeyProcess) => {
      const iat = Math.floor(now() / 1000)
      const exp = iat + tokenLife / 1000
      const claims = {
        iss: issuer,
        aud: audience,
        sub: 'x',
        client_id: 'x',
        jti: crypto.randomUUID(),
        iat,
        exp,
      }
      for (const alg of algs) {
        const jwt = await by.sign(claims, alg)
        const header = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString())
        expect(header.alg).toBe(alg)
        signedBy.add(String(header.kid))
        alive.push({ jwt, expires: exp * 1000 })
      }
    }
    const verifyAll = async () => {
      alive = alive.filter(({ expires }) => expires > now())
      for (const { jwt } of alive) {
        for (const [index, one] of verifiers.entries()) {
          if (!(await one.accepts(jwt, now()))) failures.push(`verifier ${index} at ${clock.ms}`)
        }
        if (!(await guard.authenticate(`Bearer ${jwt}`)).allowed) failures.push(`guard at ${clock.ms}`)
        if (!(await careless.accepts(jwt, now()))) carelessFailures++
      }
    }
    const made = new Set<string>()
    for (let rotation = 0; rotation < 100; rotation++) {
      // Now and then both are told to, and then they rotate once.
      const rotating = rotation % 20 === 0 ? processes : [rotator]
      const [kids] = await Promise.all([
        Promise.all(rotating.map((one) => one.rotate())),
        mint(rotation % 2 === 0 ? signer : rotator),
      ])
      expect(new Set(kids.map(String)).size).toBe(1)
      for (const kid of kids[0] ?? []) made.add(kid)
      // Just before the other process looks, somebody takes its old set and keeps it as long as allowed.
      clock.ms += minute - 1000
      await verifyAll()
      clock.ms += 1000
      await signer.reload()
      // A token of either process lives through most of what is left until the next rotation.
      for (const one of processes) {
        await mint(one)
        clock.ms += 14.5 * minute
        await verifyAll()
      }
      clock.ms += 2 * minute
    }
    expect(failures).toEqual([])
    expect(made.size).toBe(200)
    expect(signedBy.size).toBeGreaterThanOrEqual(198)
    // The same test finds who keeps the set longer than its Cache-Control says.
    expect(carelessFailures).toBeGreaterThan(0)
    // What is over is published no longer, however often one rotates.
    clock.ms += keyTimes.longestClientToken
    const left = await kidsOf(signer)
    expect(left.filter((kid) => first.includes(kid))).toEqual([])
    expect(left.length).toBeLessThan(120)
    for (const one of processes) await one.end()
  }, 600_000)
})
