/** A sign-in is demanded where somebody got in without it lately, by what is their own. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, signIn } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { linkTo, setOrganisation } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { acme, globex, placeOn } from './sign-in-support.ts'

onEachDatabase('a sign-in that is to be demanded', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const other = new UpstreamProvider()
  let glass = ''
  beforeAll(async () => {
    await other.listen()
    other.now = () => Math.floor(place.tessera.clock.now() / 1000)
    const trusted = { assurance: { mfa: '2' }, assurance_trusted: true }
    const of = { code: 'other', name: 'Globex ID', organisation_uuid: globex }
    const upstream = await place.addUpstream(other, { ...of, ...trusted })
    await importEnrolled(place.tessera, ['glass'], 'importer')
    const [{ uuid }] = (await place.admin.all(`/users?q=${personOf('glass').email}`)) as [{ uuid: string }]
    glass = uuid
    const at = place.tessera.clock.now()
    await linkTo(place.tessera, { upstream_uuid: upstream, user_uuid: glass, groups: [], at })
    await place.make('/profiles', { user_uuid: glass, role_code: 'reader', organisation_uuid: globex })
    await setOrganisation(place.tessera, globex, { breakGlass: [glass] })
    await setOrganisation(place.tessera, acme, { accepts: [globex], breakGlass: [glass] })
    await place.signIn(place.somebody())
  })
  afterAll(() => other.close())

  const policy = { sign_in: 'upstream' }
  const role = { code: 'forced', name: 'Forced', permissions: [], policy }
  const client = { client_id: 'forced', client_name: 'Forced', type: 'machine', policy }
  const own = { ...client, client_id: 'forced-acme', organisation_uuid: acme }
  const ways: [method: string, path: string, body: object][] = [
    ['PATCH', `/organisations/${acme}`, { policy }],
    ['PUT', '/policy', policy],
    ['PATCH', '/roles/reader', { policy }],
    ['POST', '/roles', role],
    ['PATCH', '/clients/submissions-web', { policy }],
    ['POST', '/clients', client],
    ['POST', '/clients', own],
  ]
  const answers = async () => {
    const all: (number | string)[] = []
    for (const [method, path, body] of ways) {
      const { status, text } = await place.admin.ask(method, `${path}?dry_run=true`, { body, match: '*' })
      all.push(status < 300 ? 'done' : text.includes('level 2') ? 'refused' : text)
    }
    return [...new Set(all)]
  }

  it('is not because of what another provider asserts, nor of a password alone', async () => {
    expect(await answers()).toEqual(['refused'])
    const browser = place.browser()
    const { email } = personOf('glass')
    const left = await browser.open(authorizeRequest({ upstream: 'globex/other' }).path)
    await place.back(browser, left, { sub: glass, email, amr: ['mfa'] }, other)
    expect(await place.kindsOf(glass)).toContain('sign_in.succeeded')
    expect(await answers()).toEqual(['refused'])
  })

  it('is because of an own second factor, for 30 days, as long as they get in', async () => {
    const browser = place.browser()
    const asked = await signIn(browser, authorizeRequest().path, personOf('glass'))
    await browser.submit(asked, { code: codeOf(place.tessera) })
    expect(await answers()).toEqual(['done'])
    expect((await place.admin.patch(`/users/${glass}`, { active: false })).status).toBe(200)
    expect(await answers()).toEqual(['refused'])
  })

  it('is not by a client of an organisation that names nobody', async () => {
    const body = { ...client, client_id: 'forced-globex', organisation_uuid: globex }
    await setOrganisation(place.tessera, globex, { breakGlass: [] })
    const answer = await place.admin.post('/clients?dry_run=true', body)
    // Somebody came through its own upstream, and nobody is named there.
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('of globex')])
  })
})
