import { beforeAll, expect, it } from 'vitest'
import { machine, token, tokensOf } from '../harness/program.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { type ProofKey, proofBy, proofKey, type Proving } from '../oauth2/dpop-support.ts'
import { administeredOn, tokenOf } from './support.ts'

/** The scheme DPoP at the administration API (RFC 9449 §7). */
onEachDatabase('the administration API by a token that is bound to a key', (dialect) => {
  const tessera = administeredOn(dialect)
  let [own, other]: ProofKey[] = []
  let bound: string
  const path = '/admin/v1/organisations'
  const now = () => Math.floor(tessera.clock.now() / 1000)
  const proof = async (changes: Partial<Proving> = {}, key = own) =>
    await proofBy(key as ProofKey, {
      url: `${tessera.url}${path}`,
      method: 'GET',
      token: bound,
      now: now(),
      ...changes,
    })
  beforeAll(async () => {
    ;[own, other] = [await proofKey(), await proofKey()]
    const dpop = await proof({ url: `${tessera.url}/oauth2/token`, method: 'POST', token: undefined })
    const caller = { client_id: 'admin-cli', client_secret: 'admin-cli-development-secret' }
    const form = { grant_type: 'client_credentials', ...caller }
    bound = tokensOf(await token(tessera.url, form, { dpop })).access_token ?? ''
  })
  const ask = async (authorization: string, dpop?: string, method = 'GET') => {
    const headers = { authorization, ...(dpop !== undefined && { dpop }) }
    const answer = await fetch(`${tessera.url}${path}`, { method, headers })
    return { status: answer.status, challenge: answer.headers.get('www-authenticate') ?? '' }
  }

  it('answers with a proof of the key, each proof once', async () => {
    const one = await proof()
    expect((await ask(`DPoP ${bound}`, one)).status).toBe(200)
    expect((await ask(`DPoP ${bound}`, one)).status).toBe(401)
    expect((await ask(`DPoP ${bound}`, await proof())).status).toBe(200)
  })

  it('refuses it as Bearer, without a proof, and with a proof that is stolen or made for something else', async () => {
    expect((await ask(`Bearer ${bound}`, await proof())).status).toBe(401)
    const others = [
      undefined,
      await proof({}, other),
      await proof({ token: await tokenOf(tessera.url, 'admin-cli') }),
      await proof({ method: 'POST' }),
      await proof({ url: `${tessera.url}/admin/v1/users` }),
      await proof({ url: `https://evil.example${path}` }),
      await proof({ claims: { iat: now() - 62 } }),
    ]
    for (const dpop of others) {
      const { status, challenge } = await ask(`DPoP ${bound}`, dpop)
      expect([status, challenge]).toEqual([401, expect.stringContaining('DPoP algs="ES256 PS256 EdDSA"')])
    }
  })

  it('refuses a token that is bound to nothing with the scheme DPoP', async () => {
    const free = await tokenOf(tessera.url, 'admin-cli')
    expect((await ask(`DPoP ${free}`, await proof({ token: free }))).status).toBe(401)
    expect((await ask(`Bearer ${free}`)).status).toBe(200)
  })

  it('refuses a bound token of another audience', async () => {
    const dpop = await proof({ url: `${tessera.url}/oauth2/token`, method: 'POST', token: undefined })
    const form = { grant_type: 'client_credentials', ...machine }
    const elsewhere = tokensOf(await token(tessera.url, form, { dpop })).access_token ?? ''
    expect((await ask(`DPoP ${elsewhere}`, await proof({ token: elsewhere }))).status).toBe(401)
  })
})
