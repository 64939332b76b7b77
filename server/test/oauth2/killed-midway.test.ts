/** A process is killed between what it writes and its answer (decisions 30 and 32). */
import { afterAll, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { Administrator } from '../administration/support.ts'
import { authorizeRequest } from '../harness/browser.ts'
import { createDatabase, onEachDatabase } from '../harness/databases.ts'
import { cleanUp, Serving } from '../harness/process.ts'
import { type Answer, refusalOf, token } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { must } from './exchange-support.ts'
import { intranet, push } from './par-support.ts'
import { assertionType, keyOf, signed } from './workload-tokens.ts'

const preload = new URL('../../../bench/crash/preload.mjs', import.meta.url).href
const robot = { client_id: 'robot', client_name: 'Robot', type: 'machine', services: [], permissions: [] }

afterAll(cleanUp)

const asks = {
  robot: async (url: string, proof: Record<string, string>) =>
    await token(url, { grant_type: 'client_credentials', ...proof }),
  intranet: async (url: string, proof: Record<string, string>) => {
    const { query } = authorizeRequest({ client_id: 'intranet' })
    return await push(url, { ...Object.fromEntries(query), ...proof })
  },
}

onEachDatabase('a process that is killed', (dialect) => {
  /** What the next process answers to the same assertion, and to a new one. */
  async function around(kill: string, id: keyof typeof asks): Promise<Answer[]> {
    const database = await createDatabase(dialect, 'administered')
    const environment = { TESSERA_DATABASE_URL: database.url }
    const killing = { NODE_OPTIONS: `--import ${preload}`, TESSERA_TEST_KILL: kill }
    const killed = await Serving.start({ ...environment, ...killing })
    const { url, issuer } = killed
    const key = await keyOf('ES256', 'one')
    const admin = await Administrator.machine(url)
    const client = id === 'robot' ? robot : intranet
    must(await admin.post('/clients', { ...client, jwks: { keys: [key.jwk] } }), 201)
    const proof = async (jti: string) => {
      const exp = Math.floor(Date.now() / 1000) + 120
      const claims = { iss: id, sub: id, aud: issuer, jti, exp }
      return { client_assertion_type: assertionType, client_assertion: await signed(claims, key) }
    }
    const first = await proof('one')
    await expect(asks[id](url, first)).rejects.toThrow('fetch failed')
    expect(await killed.ended).toMatchObject({ code: null })
    const next = await start(testSettings({ ...environment, TESSERA_ISSUER: issuer }))
    const proofs = [first, first, await proof('two')]
    const answers: Answer[] = []
    for (const one of proofs) answers.push(await asks[id](next.url, one))
    await next.close()
    await database.remove()
    return answers
  }
  const told = (answers: readonly Answer[]) =>
    answers.map((answer) => (answer.status < 300 ? answer.status : refusalOf(answer)))
  const used = 'insert into "client_assertions"'
  const spent = '401 invalid_client'

  it('before it notes an assertion has used none', async () => {
    expect(told(await around(`before:1:${used}`, 'robot'))).toEqual([200, spent, 200])
  })

  it('when an assertion is noted has used it as soon as that is committed', async () => {
    // PostgreSQL commits the one statement by itself.
    if (dialect === 'postgres')
      expect(told(await around(`after:1:${used}`, 'robot'))).toEqual([spent, spent, 200])
    else {
      expect(told(await around(`after:1:${used}`, 'robot'))).toEqual([200, spent, 200])
      expect(told(await around(`after:1:${used} … commit`, 'robot'))).toEqual([spent, spent, 200])
    }
  })

  it('when a request is kept has used the assertion beside it, and the next one is taken', async () => {
    const kept = 'insert into "pushed_requests"'
    expect(told(await around(`after:1:${kept}`, 'intranet'))).toEqual([spent, spent, 201])
  })
})
