import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { authorizeRequest, claimsOf, headerOf, redirectUri } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import {
  type Answer,
  introspect,
  machine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  Visitor,
} from '../harness/program.ts'
import { type ProofKey, proofBy, proofKey, type Proving } from './dpop-support.ts'
import { opening, push } from './par-support.ts'

const asMachine = { grant_type: 'client_credentials', ...machine }

onEachDatabase('DPoP at the token endpoint', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_GRANTS: '0', TESSERA_LIMIT_AUTHORIZE: '0' })
  let [own, other]: ProofKey[] = []
  let visitor: Visitor
  beforeAll(async () => {
    ;[own, other] = [await proofKey(), await proofKey()]
    visitor = new Visitor(tessera.url)
  })
  const url = () => `${tessera.url}/oauth2/token`
  const now = () => Math.floor(tessera.clock.now() / 1000)
  const header = async (key = own, changes: Partial<Proving> = {}) => ({
    dpop: await proofBy(key as ProofKey, { url: url(), now: now(), ...changes }),
  })
  const asked = async (changes: Partial<Proving>, key = own): Promise<Answer> =>
    await token(tessera.url, asMachine, await header(key, changes))
  const atRefresh = async (key = own) => await header(key, { url: `${tessera.url}/v1/iam/token/refresh` })

  it('binds the token of a machine to the key, and changes no answer without a proof', async () => {
    const bound = tokensOf(await asked({}))
    expect(bound.token_type).toBe('DPoP')
    expect(claimsOf(bound.access_token).cnf).toEqual({ jkt: own?.jkt })
    expect(await introspect(tessera.url, bound.access_token)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: own?.jkt },
    })
    const free = tokensOf(await token(tessera.url, asMachine))
    expect(free.token_type).toBe('Bearer')
    expect(claimsOf(free.access_token)).not.toHaveProperty('cnf')
  })

  onOne.it.each(['ES256', 'PS256', 'EdDSA'] as const)('takes %s', async (alg) => {
    const key = await proofKey(alg)
    expect(claimsOf(tokensOf(await asked({}, key)).access_token).cnf).toEqual({ jkt: key.jkt })
  })

  onOne.it('takes an address of another spelling, with a query that counts for nothing', async () => {
    expect((await asked({ url: `${tessera.url.replace('http', 'HTTP')}/oauth2/./token?a=b#c` })).status).toBe(
      200,
    )
  })

  onOne.it.each([
    ['of another address', { url: 'http://evil.example/oauth2/token' }],
    ['of no address', { url: '/oauth2/token' }],
    ['of another method', { method: 'GET' }],
    ['that is 61 seconds old', { claims: { iat: -61 } }],
    ['that is half a minute ahead', { claims: { iat: 33 } }],
    ['without a time', { claims: { iat: undefined } }],
    ['without a jti', { claims: { jti: undefined } }],
    ['with an empty jti', { claims: { jti: '' } }],
    ['with a long jti', { claims: { jti: 'a'.repeat(256) } }],
    ['with a number as jti', { claims: { jti: 7 } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without a key', { header: { jwk: undefined } }],
    ['with a key that is a text', { header: { jwk: 'key' } }],
    ['with a symmetric key', { header: { jwk: { kty: 'oct', k: 'a2V5' } } }],
    ['with a large RSA key', { header: { jwk: { kty: 'RSA', n: 'w'.repeat(684), e: 'AQAB' } } }],
    ['with an RSA key of another exponent', { header: { jwk: { kty: 'RSA', n: 'w'.repeat(342), e: 'Aw' } } }],
    ['that is too long', { claims: { more: 'a'.repeat(9000) } }],
  ] as [string, Partial<Proving>][])('refuses a proof %s', async (_, changes) => {
    const { iat } = changes.claims ?? {}
    const claims = { ...changes.claims, ...(typeof iat === 'number' && { iat: now() + iat }) }
    const answer = await asked({ ...changes, claims })
    expect(refusalOf(answer), answer.text).toBe('400 invalid_dpop_proof')
  })

  onOne.it('refuses a key that is not the one that signed, a private one, RS256, none and HMAC', async () => {
    const [mine, theirs] = [own as ProofKey, other as ProofKey]
    const secret = { ...mine.jwk, d: 'x'.repeat(43) }
    const rsa = await proofKey('RS256')
    const hmac = async () => {
      const [, payload] = (await proofBy(mine, { url: url(), now: now() })).split('.')
      const head = { alg: 'none', typ: 'dpop+jwt', jwk: mine.jwk }
      return `${Buffer.from(JSON.stringify(head)).toString('base64url')}.${payload}.`
    }
    const proofs = [
      await proofBy({ ...mine, jwk: theirs.jwk }, { url: url(), now: now() }),
      await proofBy({ ...mine, jwk: secret }, { url: url(), now: now() }),
      await proofBy(rsa, { url: url(), now: now() }),
      await hmac(),
      'no JWT',
    ]
    for (const dpop of proofs)
      expect(refusalOf(await token(tessera.url, asMachine, { dpop }))).toBe('400 invalid_dpop_proof')
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
    const weak = await proofBy({ ...rsa, alg: 'PS256', jwk: small } as ProofKey, { url: url() }).catch(
      () => 'weak',
    )
    expect(refusalOf(await token(tessera.url, asMachine, { dpop: weak }))).toBe('400 invalid_dpop_proof')
  })

  it('takes a proof once, also of many requests at the same time, and two headers never', async () => {
    const one = await header()
    const answers = await Promise.all(Array.from({ length: 12 }, () => token(tessera.url, asMachine, one)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(11)
    const two = { dpop: `${(await header()).dpop}, ${(await header()).dpop}` }
    expect(refusalOf(await token(tessera.url, asMachine, two))).toBe('400 invalid_dpop_proof')
    // What Host and X-Forwarded say does not make a proof for another address right.
    const elsewhere = await header(own, { url: 'https://evil.example/oauth2/token' })
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    expect(refusalOf(await token(tessera.url, asMachine, { ...elsewhere, ...forwarded }))).toBe(
      '400 invalid_dpop_proof',
    )
  })

  it('tells nobody of a proof before it is known which client asks, and does not use it up', async () => {
    const one = await header()
    const wrong = { ...asMachine, client_secret: 'wrong' }
    expect(refusalOf(await token(tessera.url, wrong, one))).toBe('401 invalid_client')
    expect((await token(tessera.url, asMachine, one)).status).toBe(200)
  })

  describe('a person’s tokens', () => {
    it('are bound, with those that follow, to the key of the exchange', async () => {
      const bound = tokensOf(await token(tessera.url, await visitor.code(), await header()))
      expect(bound.token_type).toBe('DPoP')
      expect(headerOf(bound.id_token).alg).toBe('RS256')
      expect(claimsOf(bound.id_token)).not.toHaveProperty('cnf')
      const next = tokensOf(await refresh(tessera.url, bound.refresh_token, {}, await atRefresh()))
      expect(claimsOf(next.access_token).cnf).toEqual({ jkt: own?.jkt })
      for (const headers of [{}, await atRefresh(other)])
        expect(refusalOf(await refresh(tessera.url, next.refresh_token, {}, headers))).toBe(
          '400 invalid_grant',
        )
      // Nor does who lacks the key end them, by a token that was replaced.
      tessera.clock.advance(60_000)
      expect(refusalOf(await refresh(tessera.url, bound.refresh_token))).toBe('400 invalid_grant')
      expect((await refresh(tessera.url, next.refresh_token, {}, await atRefresh())).status).toBe(200)
    })

    it('are not when it began without, though one access token may be', async () => {
      const free = tokensOf(await token(tessera.url, await visitor.code()))
      const bound = tokensOf(await refresh(tessera.url, free.refresh_token, {}, await atRefresh()))
      expect(bound.token_type).toBe('DPoP')
      expect(tokensOf(await refresh(tessera.url, bound.refresh_token)).token_type).toBe('Bearer')
    })

    it('are given for a code by the key that its request named alone, and a wrong one does not use it up', async () => {
      const code = await visitor.code({ dpop_jkt: own?.jkt })
      for (const headers of [{}, await header(other)])
        expect(refusalOf(await token(tessera.url, code, headers))).toBe('400 invalid_grant')
      expect(tokensOf(await token(tessera.url, code, await header())).token_type).toBe('DPoP')
      const wrong = await visitor.code({ dpop_jkt: 'short' }).catch(String)
      expect(wrong).toContain('error=invalid_request')
    })

    it('and so where the request was pushed with a proof', async () => {
      const asks = async (...push: Parameters<typeof pushedCode>) => (await pushedCode(...push)).request
      const par = `${tessera.url}/oauth2/par`
      const code = await pushedCode(await header(own, { url: par }))
      expect(refusalOf(await token(tessera.url, await code.form(), await header(other)))).toBe(
        '400 invalid_grant',
      )
      expect(refusalOf(await asks(await header(own, { url: par }), other?.jkt))).toBe(
        '400 invalid_dpop_proof',
      )
      expect(refusalOf(await asks(await header(own, { url: url() })))).toBe('400 invalid_dpop_proof')
      expect((await asks(await header(own, { url: par }), own?.jkt)).status).toBe(201)
    })
  })

  /** Pushes a request of submissions-web; `form` opens it, and yields how its code is exchanged. */
  async function pushedCode(proof: Record<string, string>, dpop_jkt?: string) {
    const { query, verifier, parameters } = authorizeRequest({ dpop_jkt })
    const request = await push(tessera.url, query, proof)
    const form = async () => {
      const client_id = parameters.client_id ?? ''
      const visit = await visitor.browser.open(opening(client_id, String(request.json.request_uri)))
      const code = new URL(visit.location ?? '').searchParams.get('code') ?? ''
      return {
        grant_type: 'authorization_code',
        ...{ client_id, code, redirect_uri: redirectUri, code_verifier: verifier },
      }
    }
    return { request, form }
  }

  describe('a client that needs a proof', () => {
    let secret: string
    beforeAll(async () => {
      const admin = await Administrator.machine(tessera.url)
      const made = await admin.post('/clients', {
        client_id: 'bound',
        client_name: 'Bound',
        type: 'machine',
        services: ['ledger'],
        permissions: ['ledger.entry.read'],
        dpop_bound_access_tokens: true,
      })
      expect(made.json).toMatchObject({ dpop_bound_access_tokens: true })
      secret = String(made.json.client_secret)
    })

    it('gets no token without one', async () => {
      const form = { grant_type: 'client_credentials', client_id: 'bound', client_secret: secret }
      const answer = await token(tessera.url, form)
      expect(refusalOf(answer)).toBe('400 invalid_request')
      expect(answer.text).toContain('DPoP')
      expect(tokensOf(await token(tessera.url, form, await header())).token_type).toBe('DPoP')
    })
  })
})
