import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Running, start } from '../dist/server.js'
import { claimsOf, post } from './browser.ts'
import { onEachDatabase } from './databases.ts'
import { startTessera, type Tessera } from './harness.ts'
import {
  introspect,
  machine,
  machineToken,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  verified,
  Visitor,
  withStore,
} from './program.ts'
import { testSettings } from './settings.ts'

/** Two services that share one database and nothing else. */
onEachDatabase('between two processes', (dialect) => {
  let tessera: Tessera
  let second: Running
  let visitor: Visitor
  let urls: [string, string]
  beforeAll(async () => {
    tessera = await startTessera(dialect)
    const settings = testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url })
    second = await start({ ...settings, host: 'localhost' }, { now: tessera.clock.now })
    urls = [tessera.url, second.url]
    visitor = new Visitor(tessera.url)
  })
  afterAll(async () => {
    await second.close()
    await tessera.close()
  })

  const onBoth = async <T>(times: number, ask: (url: string) => Promise<T>): Promise<T[]> =>
    await Promise.all(Array.from({ length: times }, (_, index) => ask(urls[index % 2] ?? '')))

  it('the second says what the first says', async () => {
    for (const path of ['/.well-known/openid-configuration', '/oauth2/jwks']) {
      const [one, two] = await Promise.all(urls.map(async (url) => await (await fetch(url + path)).json()))
      expect(two).toEqual(one)
    }
    expect(second.url).not.toBe(tessera.url)
  })

  it('tokens of one count at the other', async () => {
    const form = await visitor.code()
    const tokens = tokensOf(await token(urls[1], form))
    await verified(tessera, tokens.id_token, 'JWT')
    for (const url of urls) {
      expect((await userinfo(url, tokens.access_token)).status).toBe(200)
      expect(await introspect(url, tokens.access_token)).toMatchObject({ active: true })
    }
    const next = tokensOf(await refresh(urls[0], tokens.refresh_token))
    expect((await refresh(urls[1], next.refresh_token)).status).toBe(200)
  })

  it('one of fifty exchanges of a code succeeds', async () => {
    const form = await visitor.code()
    const answers = await onBoth(50, (url) => token(url, form))
    expect(answers.filter((one) => one.status === 200)).toHaveLength(1)
    const refusals = answers.filter((one) => one.status !== 200).map(refusalOf)
    expect(refusals).toEqual(Array(49).fill('400 invalid_grant'))
  })

  it('fifty refreshes of a token have one successor', async () => {
    const { refresh_token } = await visitor.tokens()
    const answers = await onBoth(50, (url) => refresh(url, refresh_token))
    expect(answers.filter((one) => one.status !== 200).map((one) => one.text)).toEqual([])
    expect(new Set(answers.map((one) => one.json.refresh_token)).size).toBe(1)
  })

  it('a logout among exchanges and refreshes leaves nothing alive', async () => {
    for (let round = 0; round < 4; round++) {
      const leaving = new Visitor(tessera.url)
      const tokens = await leaving.tokens()
      const forms = [await leaving.code(), await leaving.code()]
      const query = new URLSearchParams({
        client_id: 'submissions-web',
        post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      })
      const [exchanges, refreshes, visit] = await Promise.all([
        Promise.all(forms.map((form, index) => token(urls[index % 2] ?? '', form))),
        onBoth(8, (url) => refresh(url, tokens.refresh_token)),
        leaving.browser.open(`/oauth2/logout?${query}`),
      ])
      expect(visit.location).toBe('http://127.0.0.1:4001/')
      for (const answer of [...exchanges, ...refreshes].filter((one) => one.status === 200)) {
        expect((await userinfo(urls[1], String(answer.json.access_token))).status).toBe(401)
        expect((await refresh(urls[1], String(answer.json.refresh_token))).status).toBe(400)
      }
      for (const answer of [...exchanges, ...refreshes].filter((one) => one.status !== 200)) {
        expect(refusalOf(answer)).toBe('400 invalid_grant')
      }
    }
  })

  it('a user who is disabled among exchanges keeps nothing', async () => {
    const leaving = new Visitor(tessera.url)
    const forms = [await leaving.code(), await leaving.code(), await leaving.code(), await leaving.code()]
    const { sub } = claimsOf((await leaving.tokens()).access_token)
    const set = (active: 0 | 1) =>
      withStore(tessera, ({ db }) =>
        db.updateTable('users').set({ active }).where('uuid', '=', String(sub)).execute(),
      )
    const [answers] = await Promise.all([
      Promise.all(forms.map((form, index) => token(urls[index % 2] ?? '', form))),
      set(0),
    ])
    for (const one of answers.filter((answer) => answer.status === 200)) {
      expect((await userinfo(urls[0], String(one.json.access_token))).status).toBe(401)
      expect((await refresh(urls[1], String(one.json.refresh_token))).status).toBe(400)
    }
    await set(1)
  })

  it('a token that is revoked at one is over at the other', async () => {
    const jwt = await machineToken(urls[0])
    expect(await introspect(urls[1], jwt)).toMatchObject({ active: true })
    await post(`${urls[0]}/oauth2/revoke`, { ...machine, token: jwt })
    expect(await introspect(urls[1], jwt)).toEqual({ active: false })
  })
})
