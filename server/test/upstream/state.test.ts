/** What an administrator reads of an upstream: who is linked, when somebody came, what is wrong, and what is registered there. */
import { expect, it } from 'vitest'
import { X509Certificate } from 'node:crypto'
import { authorizeRequest } from '../harness/browser.ts'
import { runHere } from '../cli/command-support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { providerMetadata, samlProvider } from '../harness/saml-provider.ts'
import { Administrator, heads, problemOf } from '../administration/support.ts'
import { acme, globex, placeOn } from './sign-in-support.ts'

onEachDatabase('the state of an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const stateOf = async (uuid: string) => (await place.admin.get(`/upstreams/${uuid}/state`)).json

  it('tells who is linked and when somebody came last, and what to register there', async () => {
    const own = `${place.url}/upstreams/${place.upstream}`
    const none = {
      people: 0,
      last_sign_in_at: null,
      problem: null,
      failing_since: null,
      certificates_end_at: null,
      callback: `${own}/callback`,
      entity_id: null,
      metadata: null,
      jwks: `${own}/jwks`,
      logout: `${own}/logout`,
      signed_out: `${own}/signed-out`,
    }
    expect(await stateOf(place.upstream)).toEqual(none)
    await place.signIn(place.somebody())
    await place.signIn(place.somebody())
    const at = new Date(place.tessera.clock.now()).toISOString().slice(0, 13)
    expect(await stateOf(place.upstream)).toEqual({
      ...none,
      people: 2,
      last_sign_in_at: expect.stringMatching(at),
    })
  })

  it('says what a sign-in met, until somebody gets through', async () => {
    place.provider.twists = { at: { '/token': { status: 401, body: { error: 'invalid_client' } } } }
    await place.signIn(place.somebody())
    expect(await stateOf(place.upstream)).toMatchObject({
      problem: expect.stringMatching(/^client_refused: /),
    })
    place.provider.twists = {}
    await place.signIn(place.somebody())
    expect(await stateOf(place.upstream)).toMatchObject({ problem: null, people: 3 })
  })

  it('takes no visitor’s word that it fails, once somebody got through', async () => {
    const answered = (error: string) => ({ brought: (all: URLSearchParams) => all.set('error', error) })
    for (const error of ['server_error', 'unauthorized_client']) {
      place.provider.twists = answered(error)
      await place.signIn(place.somebody())
      expect(await stateOf(place.upstream)).toMatchObject({ problem: null, people: 3 })
    }
    // A token endpoint may say so of whatever code a browser brings.
    place.provider.twists = { at: { '/token': { status: 400, body: { error: 'invalid_request' } } } }
    await place.signIn(place.somebody())
    expect(await stateOf(place.upstream)).toMatchObject({ problem: null })
    const fresh = await place.addUpstream(place.provider, { code: 'fresh' })
    place.provider.twists = answered('unauthorized_client')
    const path = authorizeRequest({ upstream: 'acme/fresh' }).path
    const browser = place.browser()
    await place.back(browser, await browser.open(path), place.somebody())
    const text = 'client_refused: a browser brought back that: The upstream answered unauthorized_client.'
    expect(await stateOf(fresh)).toMatchObject({ problem: text })
    place.provider.twists = {}
    expect((await place.admin.delete(`/upstreams/${fresh}`)).status).toBe(204)
  })

  onOne.it('tells of SAML when the last certificate ends, once the metadata was read', async () => {
    const provider = await samlProvider(place.tessera.clock.now())
    const uuid = await place.make('/upstreams', {
      ...{ code: 'adfs', name: 'AD FS', kind: 'saml', organisation_uuid: acme },
      issuer: provider.entityID,
      metadata: providerMetadata(provider),
    })
    const own = `${place.url}/upstreams/${uuid}`
    expect(await stateOf(uuid)).toMatchObject({
      certificates_end_at: null,
      ...{
        callback: `${own}/acs`,
        entity_id: own,
        metadata: `${own}/metadata`,
        jwks: null,
        logout: `${own}/slo`,
        signed_out: null,
      },
    })
    expect((await place.admin.post(`/upstreams/${uuid}/check`, {})).json).toMatchObject({ ok: true })
    const end = new Date(new X509Certificate(provider.pem).validTo).toISOString()
    expect(await stateOf(uuid)).toMatchObject({ certificates_end_at: end })
    const shown = await runHere(['upstream', 'state', 'acme/adfs', '--json'], {
      environment: { TESSERA_DATABASE_URL: place.tessera.databaseUrl, TESSERA_ISSUER: place.url },
    })
    expect([shown.code, shown.stderr]).toEqual([0, ''])
    expect(JSON.parse(shown.stdout)).toEqual(await stateOf(uuid))
  })

  onOne.it('is of nobody in another organisation, nor of a unit', async () => {
    const uuid = await place.addUpstream(place.provider, { code: 'theirs', organisation_uuid: globex })
    const head = await Administrator.person(place.url, heads.head)
    expect(problemOf(await head.get(`/upstreams/${uuid}/state`))).toBe('404 not_found')
    expect((await head.get(`/upstreams/${place.upstream}/state`)).status).toBe(200)
    const unit = await Administrator.person(place.url, heads.unitHead)
    expect(problemOf(await unit.get(`/upstreams/${place.upstream}/state`))).toBe('404 not_found')
  })
})
