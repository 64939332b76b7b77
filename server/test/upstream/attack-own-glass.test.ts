/** Who alone gets in without the installation's provider stays so, also by their own doing. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { setPolicy } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { placeOn, textOf } from './sign-in-support.ts'

onOneDatabase('the last who gets in without', (dialect) => {
  const place = placeOn(dialect)
  const own = new UpstreamProvider()
  beforeAll(async () => {
    await own.listen()
    own.now = () => Math.floor(place.tessera.clock.now() / 1000)
    const everybody = { code: 'all', name: 'Everybody', organisation_uuid: null }
    await place.addUpstream(own, { ...everybody, domains: ['factors.example'] })
    await importEnrolled(place.tessera, ['glass'])
  })
  afterAll(() => own.close())

  it('is not lost by a link of their own while the installation forces its provider', async () => {
    const { email, password } = personOf('glass')
    const [{ uuid }] = (await place.admin.all(`/users?q=${email}`)) as [{ uuid: string }]
    await place.make('/profiles', { user_uuid: uuid, role_code: 'reader', organisation_uuid: null })
    const named = await place.admin.ask('PUT', '/break-glass', { body: { people: [uuid] }, match: '*' })
    expect(named.status, named.text).toBe(200)
    await setPolicy(place.tessera, {}, { sign_in: 'upstream' })
    const browser = place.browser()
    const left = await browser.open(authorizeRequest({ upstream: 'all' }).path)
    const prove = await place.back(browser, left, { sub: 'glass-there', email }, own)
    const asked = await browser.submit(prove, { email, password })
    const connect = await browser.submit(asked, { code: codeOf(place.tessera) })
    expect(textOf(connect)).toContain('Everybody')
    await browser.submit(connect, { choice: 'link' })
    expect((await place.admin.get('/break-glass')).json.people).toEqual([uuid])
    await setPolicy(place.tessera, {}, null)
  })
})
