import { beforeAll, expect, it } from 'vitest'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { post } from '../harness/browser.ts'
import { token, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { type ProofKey, proofBy, proofKey, type Proving } from './dpop-support.ts'

onOneDatabase('userinfo by a token that is bound to a key', (dialect) => {
  const tessera = tesseraOn(dialect)
  let [own, other]: ProofKey[] = []
  let bound: string
  let free: string
  beforeAll(async () => {
    ;[own, other] = [await proofKey(), await proofKey('EdDSA')]
    const visitor = new Visitor(tessera.url)
    const dpop = await proof({ url: `${tessera.url}/oauth2/token`, method: 'POST', token: undefined })
    bound = tokensOf(await token(tessera.url, await visitor.code(), { dpop })).access_token ?? ''
    free = (await visitor.tokens()).access_token ?? ''
  })
  const now = () => Math.floor(tessera.clock.now() / 1000)
  const proof = async (changes: Partial<Proving> = {}, key = own) =>
    await proofBy(key as ProofKey, {
      url: `${tessera.url}/oauth2/userinfo`,
      method: 'GET',
      token: bound,
      now: now(),
      ...changes,
    })
  const ask = async (authorization: string, dpop?: string, method = 'GET') => {
    const headers = { authorization, ...(dpop !== undefined && { dpop }) }
    const answer = await fetch(`${tessera.url}/oauth2/userinfo`, { method, headers })
    const json = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, challenge: answer.headers.get('www-authenticate') ?? '', json }
  }

  it('is answered with a proof of the key, each proof once', async () => {
    const one = await proof()
    expect(await ask(`DPoP ${bound}`, one)).toMatchObject({ status: 200, json: { sub: expect.any(String) } })
    expect((await ask(`dpop ${bound}`, await proof({ method: 'POST' }), 'POST')).status).toBe(200)
    const again = await ask(`DPoP ${bound}`, one)
    expect(again).toMatchObject({ status: 401, json: { error: 'invalid_dpop_proof' } })
    expect(again.challenge).toMatch(/^DPoP error="invalid_dpop_proof", .*algs="ES256 PS256 EdDSA"$/)
  })

  it('is refused as Bearer, and says how it is sent', async () => {
    for (const dpop of [undefined, await proof()]) {
      const answer = await ask(`Bearer ${bound}`, dpop)
      expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_token' } })
      expect(answer.challenge).toMatch(/^DPoP error="invalid_token"/)
    }
  })

  it('is refused with a proof that is stolen, or made for something else', async () => {
    const others = [
      undefined,
      await proof({}, other),
      await proof({ token: free }),
      await proof({ token: undefined }),
      await proof({ method: 'POST' }),
      await proof({ url: `${tessera.url}/oauth2/token` }),
      await proof({ url: 'https://evil.example/oauth2/userinfo' }),
      await proof({ claims: { iat: now() - 61 } }),
      `${await proof()}, ${await proof()}`,
    ]
    for (const dpop of others) {
      const answer = await ask(`DPoP ${bound}`, dpop)
      expect(answer.status, JSON.stringify(answer.json)).toBe(401)
      expect(answer.challenge).toMatch(/^DPoP error="invalid_(token|dpop_proof)"/)
    }
  })

  it('is refused for a token that is bound to nothing, whatever is proved', async () => {
    const answer = await ask(`DPoP ${free}`, await proof({ token: free }))
    expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_token' } })
    expect((await ask(`DPoP ${free}`)).status).toBe(401)
    expect((await userinfo(tessera.url, free)).status).toBe(200)
  })

  it('is over with what it rests on', async () => {
    await post(`${tessera.url}/oauth2/revoke`, { token: bound, client_id: 'submissions-web' })
    const answer = await ask(`DPoP ${bound}`, await proof())
    expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_token' } })
    expect(answer.challenge).toMatch(/^DPoP /)
  })
})
