/** Applications that know no OpenID Connect: a proxy asks about each of their requests (decisions 36). */
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, profiles, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { ask, proxied, Visitor, wiki, wikiClient } from './proxy.ts'

onEachDatabase('forward auth', (dialect) => {
  const tessera = administeredOn(dialect, proxied)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', wikiClient)
    expect(made.status, made.text).toBe(201)
  })

  it('leads a navigation to the sign-in, and back to where it began', async () => {
    const visitor = new Visitor(tessera)
    const begun = await visitor.ask({ target: '/book/page?a=1&b=%20' })
    expect(begun.status, begun.body).toBe(302)
    const back = await visitor.comeBack(
      await visitor.through(String(begun.headers.location), people.importer),
    )
    expect(back.status, back.body).toBe(303)
    expect(back.headers.location).toBe(`${wiki}/book/page?a=1&b=%20`)
    const passed = await visitor.ask({ target: '/book/page' })
    expect(passed.status, passed.body).toBe(200)
    expect(passed.headers).toMatchObject({
      'remote-user': users.importer,
      'remote-email': people.importer.email,
      'remote-name': 'Acme Importer',
      'remote-groups': 'importer',
      'remote-organisation': 'acme',
      'x-access-token': '',
      'cache-control': 'no-store',
    })
  })
})
void ask
void describe
void profiles
