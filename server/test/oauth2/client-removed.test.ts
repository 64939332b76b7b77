import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rememberConsent } from '../../dist/store/consents.js'
import { acme, Administrator, startAdministered, users } from '../administration/support.ts'
import { authorizeRequest, people, TestBrowser, tokensFor } from '../harness/browser.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { refresh, userinfo, withStore } from '../harness/program.ts'
import { allConsents, logoutNotices } from '../harness/states.ts'

/** A client_id that another client takes: what was known of the one before says nothing of it. */

const goodbye = 'http://127.0.0.1:4001/'
const web = {
  client_name: 'Portal',
  type: 'public',
  first_party: true,
  redirect_uris: ['http://127.0.0.1:4001/callback'],
  post_logout_redirect_uris: [goodbye],
  // Nobody listens there: what is to be sent stays in line.
  backchannel_logout_uri: 'http://127.0.0.1:9/',
  scope: 'openid',
}

onEachDatabase('the id of a client that was removed', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  let file: string
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.machine(tessera.url)
    file = join(temporaryFolder(), 'portal.yaml')
  })
  afterAll(async () => {
    await tessera.close()
    await cleanUp()
  })

  const apply = async (clients: object[]) => {
    // JSON is YAML too.
    writeFileSync(file, JSON.stringify({ clients }))
    const environment = ways.database(tessera)
    const { code, stderr } = await runHere(['apply', file, '--prune', '--yes'], { environment })
    expect([code, stderr]).toEqual([0, ''])
  }
  const make = async (body: object) => expect((await admin.post('/clients', body)).status).toBe(201)
  const remove = async (path: string) => expect((await admin.delete(path)).status).toBe(204)

  /** Each yields what removes the client, which it makes. */
  const manners = {
    alone: async (client_id: string) => {
      await make({ ...web, client_id })
      return async () => await remove(`/clients/${client_id}`)
    },
    'with its organisation': async (client_id: string) => {
      const { json } = await admin.post('/organisations', { code: client_id, name: 'Its own' })
      const organisation_uuid = String(json.uuid)
      await make({ ...web, client_id, organisation_uuid })
      const profile = { user_uuid: users.importer, role_code: 'importer', organisation_uuid }
      expect((await admin.post('/profiles', profile)).status).toBe(201)
      return async () => await remove(`/organisations/${String(json.uuid)}`)
    },
    'by pruning': async (client_id: string) => {
      await apply([{ ...web, client_id }])
      return async () => await apply([])
    },
  }

  it.each(Object.entries(manners))('has no part in what it had, removed %s', async (how, making) => {
    const client_id = `portal-${how.length}`
    const removing = await making(client_id)
    const asked = { client_id, scope: 'openid' }
    const browser = new TestBrowser(tessera.url)
    const tokens = await tokensFor(tessera.url, people.importer, { browser, changes: asked })
    const beginner = new TestBrowser(tessera.url)
    const begun = await beginner.open(authorizeRequest(asked).path)
    await removing()
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    await make({ ...web, client_id })

    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    expect((await refresh(tessera.url, tokens.refresh_token, { client_id })).json.error).toBe('invalid_grant')
    const answer = await beginner.submit(begun, people.importer)
    expect([answer.status, answer.location]).toEqual([400, undefined])
    // It took no part in the session: so the person is asked, and it is told of nothing.
    const leaving = new URLSearchParams({ client_id, post_logout_redirect_uri: goodbye })
    const question = await browser.request(`/oauth2/logout?${leaving}`)
    expect(question.status).toBe(200)
    expect((await browser.submit(question)).location).toBe(goodbye)
    expect(await logoutNotices(tessera)).toEqual([])
  })

  const moved = async (client_id: string) => {
    await make({ ...web, client_id })
    return async () => {
      const changed = await admin.patch(`/clients/${client_id}`, { organisation_uuid: acme })
      expect(changed.status).toBe(200)
    }
  }

  it.each([...Object.entries(manners), ['to another organisation', moved] as const])(
    'keeps no consent that is given while it goes, removed %s',
    async (how, making) => {
      const client_id = `partner-${how.length}`
      const removing = await making(client_id)
      const { organisation_uuid } = (await admin.get(`/clients/${client_id}`)).json
      const given = {
        user_uuid: users.importer,
        client: {
          client_id,
          organisation_uuid: typeof organisation_uuid === 'string' ? organisation_uuid : null,
        },
        allowance: {
          scopes: ['openid'] as const,
          services: [],
          permissions: [],
          redirectHosts: [],
          claims: [],
          onward: [],
        },
        reach: undefined,
        now: Date.now(),
        by: {},
      }
      await withStore(tessera, async (store) => {
        const consents = Array.from({ length: 10 }, () => rememberConsent(store, given))
        await Promise.all([...consents, removing()])
        await rememberConsent(store, given)
      })
      expect((await allConsents(tessera)).filter((one) => one.client_id === client_id)).toEqual([])
    },
  )
})
