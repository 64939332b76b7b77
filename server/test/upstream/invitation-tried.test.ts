/** A draft is tried by a real sign-in, and metadata counts as it was shown. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inflateRawSync } from 'node:zlib'
import { authorizeRequest, type TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import {
  providerMetadata,
  responseXml,
  samlProvider,
  type SamlProvider,
  signed,
} from '../harness/saml-provider.ts'
import { invitingOn } from './invitation-support.ts'
import { persistent, said } from './saml-support.ts'
import { acme, textOf } from './sign-in-support.ts'

onEachDatabase('what is entered by a set-up link', (dialect) => {
  const place = invitingOn(dialect)
  let provider: SamlProvider
  let metadata = ''
  let server: Server
  beforeAll(async () => {
    provider = await samlProvider(Date.now())
    metadata = providerMetadata(provider)
    server = createServer((_request, response) => response.end(metadata)).listen(0, '127.0.0.1')
    await new Promise((done) => server.once('listening', done))
  })
  afterAll(() => server.close())

  /** What the provider answers to where a browser was sent. */
  function answered(location: string, by: SamlProvider, nameId: string, mail: string) {
    const { searchParams } = new URL(location)
    const request = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString()
    const value = (name: string) => new RegExp(`\\b${name}="([^"]+)"`).exec(request)?.[1] ?? ''
    const [id, acs] = [value('ID'), value('AssertionConsumerServiceURL')]
    const now = place.tessera.clock.now()
    const xml = responseXml({
      ...said,
      id: `_${id.slice(1, 20)}a`,
      issuer: by.entityID,
      destination: acs,
      responseInResponseTo: id,
      inResponseTo: id,
      recipient: acs,
      audience: acs.replace(/\/acs$/, ''),
      nameId,
      format: persistent,
      notBefore: now - 1000,
      notOnOrAfter: now + 300_000,
      conditionsEnd: now + 300_000,
      authnInstant: now - 500,
      attributes: { mail: [mail] },
    })
    const response = Buffer.from(signed(xml, 'Assertion', by.key)).toString('base64')
    return { acs, form: { SAMLResponse: response, RelayState: searchParams.get('RelayState') ?? '' } }
  }

  /** Goes to the provider and back, from the page of a trial. */
  async function tried(browser: TestBrowser, by = provider, nameId = 'u-1') {
    const page = await place.step(browser, 'trial')
    const left = await browser.submit(page)
    const { acs, form } = answered(left.location ?? '', by, nameId, 'ada@acme.example')
    return await browser.follow(await browser.request(acs, { form }))
  }

  it('is tried: it signs nobody in, and another entry wants another trial', async () => {
    const link = await place.invite()
    const browser = await place.begin(link)
    expect(textOf(await browser.open('/connect/trial'))).toContain('Connect your provider first.')
    await place.enterOidc(browser)
    const page = await place.step(browser, 'trial')
    const left = await browser.submit(page)
    const outcome = await place.back(browser, left, { sub: 'ada', email: 'ada@acme.example' })
    expect([outcome.status, textOf(outcome)]).toEqual([200, expect.stringContaining('ada@acme.example')])
    expect(browser.cookies.has('tessera-session')).toBe(false)
    expect(await place.read(link)).toMatchObject({ tried_at: expect.any(String) })
    expect(outcome.body).toContain('href="/connect/trial"')
    expect(textOf(await browser.open('/connect'))).toContain('Try it')
    await place.enterOidc(browser, { client_secret: 'wrong' })
    expect(await place.read(link)).toMatchObject({ tried_at: null })
    const emails = (await place.admin.all('/users')).map(({ email }) => email)
    expect(emails).not.toContain('ada@acme.example')
    expect((await place.admin.delete(`/upstream-invitations/${link.uuid}`)).status).toBe(204)
  })

  it('is metadata by its address, as text or as a file, which counts as it was shown', async () => {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`
    const link = await place.invite()
    const browser = await place.begin(link)
    await place.step(browser, 'provider', { provider: 'adfs' })
    const wrong = await place.upload(browser, { metadata: '<html/>' })
    expect([wrong.status, textOf(wrong)]).toEqual([400, expect.stringContaining('no EntityDescriptor')])
    const upstream = async () =>
      ((await place.read(link)).entry as { upstream: Record<string, unknown> }).upstream
    const one = {
      issuer: provider.entityID,
      sso: provider.sso,
      slo: provider.slo,
      metadata: true,
      metadata_url: null,
    }
    await place.upload(browser, { metadata })
    expect(await upstream()).toMatchObject(one)
    await place.upload(browser, { file: new Blob([metadata]) })
    expect(await upstream()).toMatchObject(one)
    const page = await place.upload(browser, { metadata_url: address })
    expect(textOf(page)).toContain('It was checked, and is kept.')
    const shown = await upstream()
    expect(shown).toMatchObject({
      metadata: false,
      metadata_url: address,
      certificates: [expect.any(String)],
    })
    const own = await fetch(`${place.url}/upstreams/${String(shown.uuid)}/metadata`)
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('AuthnRequestsSigned')])
    expect(textOf(await tried(browser))).toContain('ada@acme.example')
    expect(await place.read(link)).toMatchObject({ tried_at: expect.any(String) })
    await place.step(browser, 'finish')

    // Whoever runs the address puts another key there before it is confirmed.
    const honest = metadata
    metadata = providerMetadata(await samlProvider(Date.now()))
    expect(await upstream()).toEqual(shown)
    const made = await place.confirm(link)
    expect(made.status, made.text).toBe(200)
    const after = await fetch(`${place.url}/upstreams/${String(shown.uuid)}/metadata`)
    // The provider has our certificate already: it stays.
    expect(await after.text()).toContain('X509Certificate')
    await place.make('/domains', { name: 'acme.example', organisation_uuid: acme, given: true })
    const person = place.somebody()
    await place.account(person)
    const visitor = place.browser()
    const left = await place.leave(visitor, authorizeRequest().path, person.email)
    const { acs, form } = answered(left.location ?? '', provider, person.sub, person.email)
    const back = await visitor.follow(await visitor.request(acs, { form }))
    expect(back.location ?? textOf(back)).toContain('code=')
    metadata = honest
  })
})
