import { createHash, randomUUID } from 'node:crypto'
import { CompactSign } from 'jose'
import { describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { onEachDatabase } from '../harness/databases.ts'
import { duringTests, startTessera, type Tessera } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'
import { token, tokensOf } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { proofBy, proofKey, type Proving } from '../oauth2/dpop-support.ts'
import { administeredOn } from './support.ts'

const route = '/admin/v1/organisations'

/** A machine that administers, with the proofs of its key. */
async function bound(tessera: Tessera) {
  const key = await proofKey()
  const now = () => Math.floor(tessera.clock.now() / 1000)
  const dpop = await proofBy(key, { url: `${tessera.url}/oauth2/token`, now: now() })
  const caller = { client_id: 'admin-cli', client_secret: 'admin-cli-development-secret' }
  const form = { grant_type: 'client_credentials', ...caller }
  const access = tokensOf(await token(tessera.url, form, { dpop })).access_token ?? ''
  const proof = async (changes: Partial<Proving> = {}) =>
    await proofBy(key, {
      url: `${tessera.url}${route}`,
      method: 'GET',
      token: access,
      now: now(),
      ...changes,
    })
  const ask = async (proved: string, { url = tessera.url, ...init }: RequestInit & { url?: string } = {}) => {
    const headers = { authorization: `DPoP ${access}`, dpop: proved, 'content-type': 'application/json' }
    return (await fetch(`${url}${route}`, { ...init, headers })).status
  }
  return { key, access, proof, ask }
}

describe('below the path of an issuer', () => {
  const tessera = duringTests(async () => {
    const port = String(await freePort('localhost'))
    const settings = { TESSERA_PORT: port, TESSERA_ISSUER: `http://localhost:${port}/auth` }
    return await startTessera('sqlite', { settings, content: 'administered' })
  })

  it('a proof for the administration names the whole address', async () => {
    const { ask, proof } = await bound(tessera)
    expect(await ask(await proof())).toBe(200)
    const { origin } = new URL(tessera.url)
    for (const url of [`${origin}${route}`, `${tessera.url}/auth${route}`, `${tessera.url}/oauth2/token`])
      expect(await ask(await proof({ url })), url).toBe(401)
  })
})

onEachDatabase('a proof for the administration', (dialect) => {
  const tessera = administeredOn(dialect)

  it('counts once in all processes, and changes nothing the second time', async () => {
    const settings = testSettings({
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_ISSUER: tessera.url,
    })
    const other = await start({ ...settings, host: 'localhost' }, { now: tessera.clock.now })
    try {
      const { ask, proof } = await bound(tessera)
      const one = await proof({ method: 'POST' })
      const made = await Promise.all(
        Array.from({ length: 12 }, async (_, at) => {
          const body = JSON.stringify({ code: `made-${at}`, name: 'Made' })
          return await ask(one, { method: 'POST', body, url: at % 2 === 0 ? tessera.url : other.url })
        }),
      )
      expect(made.filter((status) => status === 201)).toHaveLength(1)
      expect(made.filter((status) => status === 401)).toHaveLength(11)
    } finally {
      await other.close()
    }
  })

  it('is refused where it is no text', async () => {
    const { key, access, ask } = await bound(tessera)
    const ath = createHash('sha256').update(access).digest('base64url')
    const iat = Math.floor(tessera.clock.now() / 1000)
    const proving = async (bytes: Uint8Array) =>
      await new CompactSign(bytes)
        .setProtectedHeader({ alg: key.alg, typ: 'dpop+jwt', jwk: key.jwk })
        .sign(key.privateKey)
    const said = { jti: randomUUID(), htm: 'GET', htu: `${tessera.url}${route}`, iat, ath, more: '?' }
    const broken = Buffer.from(JSON.stringify(said))
    expect(await ask(await proving(broken))).toBe(200)
    broken[broken.lastIndexOf('?')] = 0xff
    expect(await ask(await proving(broken))).toBe(401)
    expect(await ask(await proving(Buffer.from('null')))).toBe(401)
  })
})
