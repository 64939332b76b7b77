/** What a provider says has ended ends as a whole, whenever the service is killed. */
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { post } from '../harness/browser.ts'
import { createDatabase, onEachDatabase } from '../harness/databases.ts'
import { cleanUp, freePort, Serving } from '../harness/process.ts'
import { refresh } from '../harness/program.ts'
import { acme, Place } from './sign-in-support.ts'

afterAll(cleanUp)

const preload = fileURLToPath(new URL('../../../bench/crash/preload.mjs', import.meta.url))

onEachDatabase('a logout of a provider', (dialect) => {
  it('is heard when it comes again after a kill that lost the first', async () => {
    const database = await createDatabase(dialect, 'administered')
    const port = String(await freePort())
    const environment = {
      ...{ TESSERA_DATABASE_URL: database.url, TESSERA_PORT: port, TESSERA_LOG_LEVEL: 'fatal' },
      TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
    }
    const killing = { TESSERA_TEST_KILL: 'before:1:update "sessions" set "ended_at"' }
    const dying = await Serving.start({
      ...{ ...environment, ...killing, NODE_OPTIONS: `--import ${preload}` },
    })
    const place = new Place()
    Object.assign(place.tessera, { url: dying.issuer })
    await place.provider.listen()
    place.admin = await place.administrator()
    await place.make('/domains', { name: 'acme.example', organisation_uuid: acme, given: true })
    const upstream = await place.addUpstream(place.provider, { provision: 'create' })
    const ada = place.somebody()
    await place.account(ada, undefined, {})
    const tokens = await place.tokens({ ...ada, sid: 'there' })

    const logout_token = await place.provider.logoutToken({ sid: 'there' })
    const tell = () => post(`${place.url}/upstreams/${upstream}/logout`, { logout_token })
    await expect(tell()).rejects.toThrow('fetch failed')
    expect((await dying.ended).code).toBeNull()
    const serving = await Serving.start(environment)
    // The provider got no answer, and tells it again.
    expect((await tell()).status).toBe(200)
    expect((await refresh(place.url, tokens.refresh_token)).status).toBe(400)
    expect((await tell()).status).toBe(400)
    await serving.stop('SIGKILL')
    await place.provider.close()
    await database.remove()
  })
})
