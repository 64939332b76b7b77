/** Signing keys by the administration API. */
import { beforeAll, expect, it } from 'vitest'
import { Administrator, problemOf, recordsWith, administeredOn } from './support.ts'
import { headerOf } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { machineToken, verified } from '../harness/program.ts'

onEachDatabase('signing keys', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const published = async () => {
    const { keys } = (await (await fetch(`${tessera.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }
    return keys.map((one) => one.kid)
  }

  it('are listed without anything private', async () => {
    const listed = await admin.all('/keys', 1)
    expect(listed.map((one) => String(one.kid)).toSorted()).toEqual((await published()).toSorted())
    expect(Object.keys(listed[0] ?? {})).toEqual([
      'kid',
      'alg',
      'created_at',
      'signs_from',
      'published_until',
    ])
    expect((await admin.get('/keys')).text).not.toContain('PRIVATE')
  })

  it('are rotated by whoever administers everything, recorded with who did', async () => {
    const before = await published()
    const recorded = async () => {
      const made = (await recordsWith(admin)).filter(({ kind }) => kind === 'signing_key.created')
      return made
        .map(({ actor }) => actor)
        .filter(({ kind }) => kind === 'client')
        .map(({ id }) => id)
    }
    expect(problemOf(await own.post('/keys', {}))).toBe('403 forbidden')
    expect(problemOf(await admin.post('/keys', { alg: 'none' }))).toBe('400 invalid_request alg')
    expect([await published(), await recorded()]).toEqual([before, []])
    const token = await machineToken(tessera.url)
    const rotated = await admin.post('/keys', {})
    expect(rotated.status).toBe(201)
    const after = await published()
    expect(after).toHaveLength(before.length + 2)
    const algs = (rotated.json.items as { alg: string }[]).map((one) => one.alg)
    expect(algs.toSorted()).toEqual(['ES256', 'ES256', 'RS256', 'RS256'])
    expect(after).toEqual(expect.arrayContaining(before))
    expect((rotated.json.items as { kid: string }[]).map((one) => one.kid).toSorted()).toEqual(
      after.toSorted(),
    )
    expect(await recorded()).toEqual(['admin-cli', 'admin-cli'])
    expect((await verified(tessera, token, 'at+jwt')).iss).toBe(tessera.url)
  })

  it('sign a day after they are published, or now', async () => {
    const newest = async (body: object) => {
      const { json } = await admin.post('/keys', body)
      return (json.items as { kid: string; signs_from: string }[]).slice(-2)
    }
    for (const { signs_from } of await newest({ now: false }))
      expect(Date.parse(signs_from) - tessera.clock.now()).toBeGreaterThan(23 * 3_600_000)
    expect(problemOf(await admin.post('/keys', { now: 'yes' }))).toBe('400 invalid_request now')
    expect(problemOf(await own.post('/keys', { now: true }))).toBe('403 forbidden')
    const urgent = await newest({ now: true })
    tessera.clock.advance(31_000)
    const token = await machineToken(tessera.url)
    expect(urgent.map((one) => one.kid)).toContain(headerOf(token).kid)
    expect((await verified(tessera, token, 'at+jwt')).iss).toBe(tessera.url)
  })
})
