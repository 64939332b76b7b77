import { expect, it } from 'vitest'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { refresh, refusalOf, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { auditOf, changeClient } from '../harness/states.ts'

const day = 24 * 3_600_000
const minute = 60_000

onEachDatabase('refresh lifetimes', (dialect) => {
  const tessera = tesseraOn(dialect)

  const tokens = async () => await new Visitor(tessera.url).tokens()
  const next = async (refreshToken: string | undefined) =>
    tokensOf(await refresh(tessera.url, refreshToken)).refresh_token

  const none = { access_token_lifetime: null, refresh_idle_lifetime: null, refresh_absolute_lifetime: null }
  const set = (values: { [name in keyof typeof none]: number | null }) =>
    changeClient(tessera, 'submissions-web', values)

  it('a token is good after fourteen idle days less a minute', async () => {
    const { refresh_token } = await tokens()
    tessera.clock.advance(14 * day - minute)
    expect(await next(refresh_token)).toBeDefined()
  })

  it('a token ends after fourteen idle days', async () => {
    const { refresh_token } = await tokens()
    tessera.clock.advance(14 * day + minute)
    expect(refusalOf(await refresh(tessera.url, refresh_token))).toBe('400 invalid_grant')
  })

  it('use moves the idle end but not the absolute one', async () => {
    let { refresh_token } = await tokens()
    for (let used = 0; used < 2; used++) {
      tessera.clock.advance(13 * day)
      refresh_token = await next(refresh_token)
    }
    tessera.clock.advance(4 * day - minute)
    refresh_token = await next(refresh_token)
    tessera.clock.advance(2 * minute)
    expect(refusalOf(await refresh(tessera.url, refresh_token))).toBe('400 invalid_grant')
  })

  it('a family outlives the browser session that it began in', async () => {
    const { refresh_token } = await tokens()
    tessera.clock.advance(8 * day)
    const later = tokensOf(await refresh(tessera.url, refresh_token))
    expect((await userinfo(tessera.url, later.access_token)).status).toBe(200)
  })

  it('a client may have lifetimes of its own', async () => {
    await set({ access_token_lifetime: 60, refresh_idle_lifetime: 600, refresh_absolute_lifetime: 900 })
    try {
      const first = await tokens()
      expect(first.expires_in).toBe(60)
      tessera.clock.advance(61_000)
      expect((await userinfo(tessera.url, first.access_token)).status).toBe(401)
      const second = await next(first.refresh_token)
      tessera.clock.advance(601_000)
      expect(refusalOf(await refresh(tessera.url, second))).toBe('400 invalid_grant')

      let { refresh_token } = await tokens()
      tessera.clock.advance(500_000)
      refresh_token = await next(refresh_token)
      tessera.clock.advance(401_000)
      expect(refusalOf(await refresh(tessera.url, refresh_token))).toBe('400 invalid_grant')
    } finally {
      await set(none)
    }
  })

  it('a client may have one of them, and the service’s for the other', async () => {
    try {
      await set({ ...none, refresh_absolute_lifetime: 900 })
      const unused = await tokens()
      let { refresh_token } = await tokens()
      tessera.clock.advance(800_000)
      refresh_token = await next(refresh_token)
      tessera.clock.advance(101_000)
      for (const ended of [refresh_token, unused.refresh_token])
        expect(refusalOf(await refresh(tessera.url, ended))).toBe('400 invalid_grant')

      await set({ ...none, refresh_idle_lifetime: 600 })
      const first = await tokens()
      tessera.clock.advance(500_000)
      const second = await next(first.refresh_token)
      tessera.clock.advance(500_000)
      const third = await next(second)
      tessera.clock.advance(601_000)
      expect(refusalOf(await refresh(tessera.url, third))).toBe('400 invalid_grant')
    } finally {
      await set(none)
    }
  })

  it('a replay after the end of a family is no more than a refusal', async () => {
    const { refresh_token } = await tokens()
    await next(refresh_token)
    tessera.clock.advance(15 * day)
    expect(refusalOf(await refresh(tessera.url, refresh_token))).toBe('400 invalid_grant')
    expect(await auditOf(tessera, { kind: 'refresh_token.replayed' })).toEqual([])
  })
})
