/** Who gets in without the organisation's provider does so by what is their own. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, signIn } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { linkTo, setOrganisation, setPolicy } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { acme, globex, placeOn } from './sign-in-support.ts'

onOneDatabase('who gets in without the provider', (dialect) => {
  const place = placeOn(dialect)
  const other = new UpstreamProvider()
  let upstream = ''
  beforeAll(async () => {
    await other.listen()
    other.now = () => Math.floor(place.tessera.clock.now() / 1000)
    const trusted = { assurance: { mfa: '2' }, assurance_trusted: true }
    const of = { code: 'other', name: 'Globex ID', organisation_uuid: globex }
    upstream = await place.addUpstream(other, { ...of, ...trusted })
    await importEnrolled(place.tessera, ['glass'], 'importer')
  })
  afterAll(() => other.close())

  it('does not by the provider of an organisation that is accepted', async () => {
    const { email } = personOf('glass')
    const [{ uuid }] = (await place.admin.all(`/users?q=${email}`)) as [{ uuid: string }]
    const ada = await place.account(place.somebody())
    const at = place.tessera.clock.now()
    await linkTo(place.tessera, { upstream_uuid: place.upstream, user_uuid: ada.uuid, groups: [], at })
    await linkTo(place.tessera, { upstream_uuid: upstream, user_uuid: uuid, groups: [], at })
    await place.tokens({ sub: ada.uuid, email: 'ada@acme.example' })
    await setOrganisation(place.tessera, acme, { accepts: [globex], breakGlass: [uuid] })
    await setPolicy(place.tessera, { organisation: 'acme' }, { sign_in: 'upstream' })
    const browser = place.browser()
    const left = await browser.open(authorizeRequest({ upstream: 'globex/other' }).path)
    const came = await place.back(browser, left, { sub: uuid, email, amr: ['mfa'] }, other)
    expect(came.location ?? '').not.toMatch('code=')
    const own = place.browser()
    const asked = await signIn(own, authorizeRequest().path, personOf('glass'))
    expect((await own.submit(asked, { code: codeOf(place.tessera) })).location).toMatch('code=')
  })
})
