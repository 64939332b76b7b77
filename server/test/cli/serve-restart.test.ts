import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { createDatabase, onBothDatabases, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, secret, Serving, temporaryFolder } from '../harness/process.ts'
import { refresh, tokensOf, userinfo } from '../harness/program.ts'

afterAll(cleanUp)

/** The reference file, in which the service has to choose every uuid of people, profiles and places. */
function withoutUuids(): string {
  const text = readFileSync(new URL('../fixtures/acme.yaml', import.meta.url), 'utf8')
    .replaceAll(/^( *)- uuid: .*\n *role:/gm, '$1- role:')
    .replaceAll(/^ *uuid: .*\n/gm, '')
  if (/^[ -]*uuid:/m.test(text)) throw new Error('The file still has a uuid.')
  return text
}

onBothDatabases('a restart', (dialect) => {
  let database: TestDatabase
  let environment: Record<string, string>
  let serving: Serving
  beforeAll(async () => {
    database = await createDatabase(dialect, 'empty')
    const declared = join(temporaryFolder(), 'access.yaml')
    writeFileSync(declared, withoutUuids())
    environment = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: secret,
      TESSERA_DECLARED: declared,
      TESSERA_LOG_LEVEL: 'silent',
    }
    serving = await Serving.start(environment)
    environment.TESSERA_PORT = new URL(serving.url).port
  })
  afterAll(() => database.remove())

  describe.each(['SIGTERM', 'SIGKILL'] as const)('after %s', (signal) => {
    let browser: TestBrowser
    let tokens: Record<string, string>
    let keys: unknown
    let begun: { browser: TestBrowser; page: Visit }
    let revoked: Record<string, string>
    beforeAll(async () => {
      browser = new TestBrowser(serving.issuer)
      tokens = await tokensFor(serving.issuer, people.importer, { browser })
      keys = await jwks(serving)
      const other = new TestBrowser(serving.issuer)
      begun = { browser: other, page: await other.open(authorizeRequest().path) }
      expect(begun.page.status).toBe(200)
      revoked = await tokensFor(serving.issuer, people.importer)
      const body = new URLSearchParams({ token: revoked.refresh_token ?? '', client_id: 'submissions-web' })
      await fetch(`${serving.issuer}/oauth2/revoke`, { method: 'POST', body })
      await serving.stop(signal)
      serving = await Serving.start(environment)
    })

    it('keeps keys, people, sessions and refresh tokens', async () => {
      expect(await jwks(serving)).toEqual(keys)
      expect((await userinfo(serving.issuer, tokens.access_token)).status).toBe(200)
      const later = tokensOf(await refresh(serving.issuer, tokens.refresh_token))
      const { sub, profile_uuid, organisation_uuid } = claimsOf(tokens.access_token)
      expect(profile_uuid).toMatch(/^[0-9a-f-]{36}$/)
      expect(claimsOf(later.access_token)).toMatchObject({ sub, profile_uuid, organisation_uuid })

      // Signed in still, so no page; and somebody else is not.
      const silent = authorizeRequest({ prompt: 'none' })
      expect(answerOf(await browser.open(silent.path))).toMatchObject({
        code: expect.any(String),
        state: silent.parameters.state,
      })
      const stranger = await new TestBrowser(serving.issuer).open(silent.path)
      expect(answerOf(stranger)).toMatchObject({ error: 'login_required' })
    })

    it('keeps a sign-in that was begun, and an ended one ended', async () => {
      expect(answerOf(await begun.browser.submit(begun.page, people.importer))).toHaveProperty('code')
      const refused = await refresh(serving.issuer, revoked.refresh_token)
      expect([refused.status, refused.json.error]).toEqual([400, 'invalid_grant'])
    })
  })
})

async function jwks({ issuer }: Serving): Promise<unknown> {
  return await (await fetch(`${issuer}/oauth2/jwks`)).json()
}
