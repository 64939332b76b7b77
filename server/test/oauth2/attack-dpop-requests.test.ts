import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { onEachDatabase } from '../harness/databases.ts'
import { duringTests, startTessera, type Tessera, tesseraOn } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'
import { machine, refusalOf, token, tokensOf } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { countOf, sweepAt } from '../harness/states.ts'
import { type ProofKey, proofBy, proofKey } from './dpop-support.ts'

const asMachine = { grant_type: 'client_credentials', ...machine }

interface Sent {
  /** The second word of the request line, as it stands. */
  target: string
  dpop: string
  headers?: Record<string, string>
}

/** POST with a request line that `fetch` would not send; yields status and error. */
async function sendTo(listening: string, { target, dpop, headers = {} }: Sent): Promise<string> {
  const { hostname, port } = new URL(listening)
  const body = new URLSearchParams(asMachine).toString()
  return await new Promise((resolve, reject) => {
    const type = 'application/x-www-form-urlencoded'
    const more = { 'content-type': type, 'content-length': body.length, dpop, ...headers }
    const asked = request({ hostname, port, method: 'POST', path: target, headers: more }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => (text += part))
      answer.on('end', () => {
        const { error = 'none' } = JSON.parse(text) as { error?: string }
        resolve(`${answer.statusCode} ${error}`)
      })
    })
    asked.on('error', reject).end(body)
  })
}

describe('a proof counts for the address that was asked', () => {
  const below = async (path: string, more: Record<string, string> = {}): Promise<Tessera> => {
    const port = String(await freePort('localhost'))
    const settings = { TESSERA_PORT: port, TESSERA_ISSUER: `http://localhost:${port}${path}`, ...more }
    return await startTessera('sqlite', { settings: { TESSERA_LIMIT_GRANTS: '0', ...settings } })
  }
  const atOrigin = duringTests(() => below(''))
  const realm = duringTests(() => below('/realms/acme', { TESSERA_ALIASES: 'keycloak' }))
  const sent = async (tessera: Tessera, target: string, htu: string, headers = {}) => {
    const now = Math.floor(tessera.clock.now() / 1000)
    const dpop = await proofBy(await proofKey(), { url: htu, now })
    return await sendTo(tessera.listening, { target, dpop, headers })
  }

  it('also where the request line names a host, which counts for nothing', async () => {
    const right = `${atOrigin.url}/oauth2/token`
    for (const target of [right, 'http://evil.example/oauth2/token', 'http://a@b:1/oauth2/token?x=http://c'])
      expect(await sent(atOrigin, target, right), target).toBe('200 none')
    const evil = 'http://evil.example/oauth2/token'
    expect(await sent(atOrigin, evil, evil)).toBe('400 invalid_dpop_proof')
  })

  it('and in no other spelling than that of the request line', async () => {
    const right = `${atOrigin.url}/oauth2/token`
    for (const target of ['/oauth2/%74oken', '/oauth2/token#a'])
      expect(await sent(atOrigin, target, right), target).toBe('400 invalid_dpop_proof')
    for (const target of [
      '//oauth2/token',
      '/oauth2//token',
      '/oauth2/x/../token',
      '//evil.example/oauth2/token',
    ])
      expect(await sent(atOrigin, target, right), target).toBe('404 not_found')
    const forwarded = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    }
    expect(await sent(atOrigin, '/oauth2/token', right, forwarded)).toBe('200 none')
    const overridden = { 'x-original-url': '/oauth2/par', 'x-http-method-override': 'GET' }
    expect(await sent(atOrigin, '/oauth2/token', right, overridden)).toBe('200 none')
  })

  it('below the path of the issuer, and by the name of Keycloak where that was asked', async () => {
    const { url } = realm
    const [own, alias] = ['/oauth2/token', '/protocol/openid-connect/token']
    for (const one of [own, alias])
      expect(await sent(realm, `/realms/acme${one}`, `${url}${one}`), one).toBe('200 none')
    const { origin } = new URL(url)
    for (const [target, htu] of [
      [own, `${url}${alias}`],
      [alias, `${url}${own}`],
      [own, `${origin}${own}`],
      [own, `${url}/../acme2${own}`],
    ])
      expect(await sent(realm, `/realms/acme${target}`, htu ?? ''), htu).toBe('400 invalid_dpop_proof')
  })
})

onEachDatabase('a proof counts once', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_GRANTS: '0' } })
  const now = () => Math.floor(tessera.clock.now() / 1000)
  const header = async (key: ProofKey, claims = {}) => ({
    dpop: await proofBy(key, { url: `${tessera.url}/oauth2/token`, now: now(), claims }),
  })

  it('of forty requests at the same time, in four processes', async () => {
    const settings = testSettings({
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_ISSUER: tessera.url,
      TESSERA_LIMIT_GRANTS: '0',
    })
    const beside = async () => await start({ ...settings, host: 'localhost' }, { now: tessera.clock.now })
    const others = [await beside(), await beside(), await beside()]
    const doors = [tessera.url, ...others.map(({ url }) => url)]
    try {
      for (let round = 0; round < 3; round++) {
        const one = await header(await proofKey())
        const answers = await Promise.all(
          Array.from({ length: 40 }, async (_, at) => await token(doors[at % 4] ?? '', asMachine, one)),
        )
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
        const refused = answers.filter(({ status }) => status !== 200)
        expect(new Set(refused.map(refusalOf))).toEqual(new Set(['400 invalid_dpop_proof']))
      }
    } finally {
      for (const other of others) await other.close()
    }
  })

  it('as long as its time would let it, whatever fraction it has, and what is kept of it goes then', async () => {
    tessera.clock.stop()
    const key = await proofKey()
    const ahead = await header(key, { iat: now() + 29.75 })
    tokensOf(await token(tessera.url, asMachine, ahead))
    for (const seconds of [30, 30, 29]) {
      tessera.clock.advance(seconds * 1000)
      await sweepAt(tessera, tessera.clock.now())
      expect(refusalOf(await token(tessera.url, asMachine, ahead))).toBe('400 invalid_dpop_proof')
    }
    const kept = await countOf(tessera, 'used once')
    tessera.clock.advance(120_000)
    await sweepAt(tessera, tessera.clock.now())
    expect(await countOf(tessera, 'used once')).toBeLessThan(kept)
  })
})
