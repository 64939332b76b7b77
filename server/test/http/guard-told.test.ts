/** What the guard of a protected service says about a running service and its real tokens. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGuard } from '../../../guard/dist/index.js'
import { people, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'

const audience = 'https://submissions.acme.example/api'
const permission = 'submissions-tool.vista-import.create'

onOneDatabase('a protected service', (dialect) => {
  let tessera: Tessera
  let log: ReturnType<typeof vi.spyOn>
  beforeAll(async () => {
    tessera = await startTessera(dialect)
  })
  afterAll(() => tessera?.close())
  beforeEach(() => {
    log = vi.spyOn(console, 'error').mockImplementation(() => {})
  })
  afterEach(() => log.mockRestore())

  const refusal = async (options: { issuer?: string; audience?: string }, token: string | undefined) => {
    const guard = createGuard({ issuer: tessera.url, audience, now: tessera.clock.now, ...options })
    const decision = await guard.check(`Bearer ${token}`, permission)
    return decision.allowed ? 'allowed' : `${decision.status} ${decision.body.error_description}`
  }

  it('lets in who may, and logs nothing', async () => {
    expect(await refusal({}, (await tokensFor(tessera.url, people.importer)).access_token)).toBe('allowed')
    expect(log.mock.calls).toEqual([])
  })

  it('says which issuer it expected and which it found, when it was given another name of the host', async () => {
    const { access_token } = await tokensFor(tessera.url, people.importer)
    const issuer = tessera.url.replace('localhost', '127.0.0.1')
    const listening = tessera.listening.replace('[::1]', 'localhost')
    const fetched = createGuard({
      issuer,
      audience,
      fetch: (url, init) => fetch(url.replace(issuer, listening), init),
    })
    for (const _ of [1, 2])
      expect(await fetched.check(`Bearer ${access_token}`, permission)).toMatchObject({ status: 503 })
    expect(log.mock.calls).toEqual([
      [expect.stringContaining(`expected "${issuer}", found "${tessera.url}"`)],
    ])
  })

  it('names both audiences, and the scope that is missing', async () => {
    const archive = 'https://archive.acme.example/api'
    const { access_token } = await tokensFor(tessera.url, people.importer)
    expect(await refusal({ audience: archive }, access_token)).toMatch(
      new RegExp(`^401 .* it is for ${audience}, and this service is ${archive}$`),
    )
    const signedInOnly = await tokensFor(tessera.url, people.importer, { changes: { scope: 'openid' } })
    expect(await refusal({}, signedInOnly.access_token)).toMatch(/^401 .*ask for the scope service\.api$/)
  })
})

describe('the administration API', () => {
  it('says the same of its own tokens', async () => {
    const tessera = await startTessera('sqlite')
    try {
      const { access_token } = await tokensFor(tessera.url, people.admin, { changes: { scope: 'openid' } })
      const answer = await fetch(`${tessera.url}/admin/v1/users`, {
        headers: { authorization: `Bearer ${access_token}` },
      })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining(`this service is ${tessera.url}/admin; ask for the scope service.api`),
      ])
    } finally {
      await tessera.close()
    }
  })
})
