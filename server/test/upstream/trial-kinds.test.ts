/** A trial by each kind of provider, and by the command. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { inflateRawSync } from 'node:zlib'
import { runHere, ways } from '../cli/command-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { LdapServer, trustDirectories } from '../harness/ldap-server.ts'
import {
  providerMetadata,
  responseXml,
  samlProvider,
  type SamlProvider,
  signed,
} from '../harness/saml-provider.ts'
import type { Visit } from '../harness/browser.ts'
import { everythingBesideTrials } from '../harness/states.ts'
import { said } from './saml-support.ts'
import { acme, placeOn, textOf } from './sign-in-support.ts'
import { begin, leaveTo, outcomeOf } from './trial-support.ts'

const base = 'ou=people,dc=acme'
const service = { dn: 'cn=service,dc=acme', password: 'of the service' }

onOneDatabase('a trial by its kind', (dialect) => {
  const place = placeOn(dialect, { upstream: { provision: 'create' } })
  const directory = new LdapServer()
  let provider: SamlProvider
  const uuids: Record<string, string> = {}
  beforeAll(async () => {
    trustDirectories()
    provider = await samlProvider(place.tessera.clock.now())
    await directory.listen('ldaps')
    directory.entries = [
      { dn: base },
      service,
      {
        ...{ dn: `uid=ann,${base}`, password: 'right', entryUUID: '0d1e2f30-0000-4000-8000-00000000a001' },
        ...{ uid: 'ann', mail: 'ann@acme.example', cn: 'Ann', memberOf: ['cn=staff,dc=acme'] },
      },
    ]
    const own = { name: 'Acme ID', organisation_uuid: acme, provision: 'create' }
    uuids.saml = await place.make('/upstreams', {
      ...{
        ...own,
        code: 'adfs',
        kind: 'saml',
        issuer: provider.entityID,
        metadata: providerMetadata(provider),
      },
    })
    const searching = { bind_dn: service.dn, bind_password: service.password, base }
    const ldap = { ...own, code: 'ad', kind: 'ldap', url: directory.url(), ...searching }
    uuids.ldap = await place.make('/upstreams', ldap)
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await directory.close()
  })

  /** What a SAML provider posts, and where the browser goes on. */
  const answered = async (left: Visit, changes: object = {}, key = provider.key) => {
    const sent = new URL(left.location ?? '').searchParams
    const request = inflateRawSync(Buffer.from(sent.get('SAMLRequest') ?? '', 'base64')).toString()
    const id = / ID="([^"]+)"/.exec(request)?.[1] ?? ''
    const [at, ownEntity] = [place.tessera.clock.now(), `${place.url}/upstreams/${uuids.saml}`]
    const acs = `${ownEntity}/acs`
    const times = {
      notBefore: at - 1000,
      notOnOrAfter: at + 60_000,
      conditionsEnd: at + 60_000,
      authnInstant: at,
    }
    const to = { destination: acs, recipient: acs, audience: ownEntity }
    const of = {
      issuer: provider.entityID,
      inResponseTo: id,
      responseInResponseTo: id,
      id: `_${Math.random()}`,
    }
    const attributes = { mail: ['ann@acme.example'], groups: ['staff'] }
    const xml = responseXml({ ...said, ...times, ...to, ...of, attributes, ...changes })
    const SAMLResponse = Buffer.from(signed(xml, 'Assertion', key)).toString('base64')
    const form = { SAMLResponse, RelayState: sent.get('RelayState') ?? '' }
    // Another site posts it, so our cookies do not come along.
    const posted = await place.browser().request(acs, { form })
    return posted.location ?? ''
  }

  it('goes to a SAML provider and back, once, in this browser', async () => {
    const before = await everythingBesideTrials(place.tessera)
    const begun = await begin(place, uuids.saml)
    const browser = place.browser()
    const left = await leaveTo(browser, begun)
    expect(left.location).toMatch(provider.sso)
    const back = await answered(left)
    expect(back).toMatch(`/upstreams/${uuids.saml}/callback?handle=`)
    const visit = await browser.open(back)
    expect(textOf(visit)).toContain('make a new account')
    const { came, would, state } = await outcomeOf(place, begun)
    expect([state, would?.outcome]).toEqual(['done', 'new'])
    expect(came).toMatchObject({
      subject: said.nameId,
      groups: ['staff'],
      fields: { email: 'ann@acme.example' },
    })
    expect(await everythingBesideTrials(place.tessera)).toEqual(before)
    expect((await browser.open(back)).status).toBe(400)
  })

  it.each([
    ['another application', { audience: 'https://other.example' }, 'audience'],
    ['an older assertion', { conditionsEnd: 1_600_000_000_000, notOnOrAfter: 1_600_000_000_000 }, 'expired'],
    ['nobody', { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }, 'no_subject'],
  ])('says what is wrong with an answer for %s', async (_name, changes, code) => {
    const begun = await begin(place, uuids.saml)
    const browser = place.browser()
    const visit = await browser.open(await answered(await leaveTo(browser, begun), changes))
    const { problem, came, would } = await outcomeOf(place, begun)
    expect([problem?.code, came, would]).toEqual([code, null, null])
    expect(textOf(visit)).toContain(problem?.cure)
    expect(textOf(visit)).toContain(`/upstreams/${uuids.saml}/acs`)
  })

  it('takes no answer that another signs, or that comes with another browser', async () => {
    const attacker = await samlProvider(place.tessera.clock.now())
    const begun = await begin(place, uuids.saml)
    const browser = place.browser()
    const left = await leaveTo(browser, begun)
    const right = await answered(left)
    expect((await place.browser().open(right)).status).toBe(400)
    expect((await outcomeOf(place, begun)).state).toBe('waiting')
    await browser.open(await answered(left, {}, attacker.key))
    expect((await outcomeOf(place, begun)).problem?.code).toBe('signature')
  })

  it('asks for the name and password of a directory, and shows it no more than four wrong ones', async () => {
    const before = await everythingBesideTrials(place.tessera)
    const begun = await begin(place, uuids.ldap)
    const browser = place.browser()
    const page = await browser.open(begun.address)
    expect((await browser.submit(page, { name: 'ann', password: '' })).status).toBe(400)
    const wrong = await browser.submit(page, { name: 'ann', password: 'wrong' })
    expect([wrong.status, textOf(wrong)]).toEqual([400, expect.stringContaining('do not match')])
    expect((await outcomeOf(place, begun)).state).toBe('waiting')
    const visit = await browser.submit(wrong, { name: 'ann', password: 'right' })
    expect(textOf(visit)).toContain('make a new account')
    expect(browser.cookies.has('tessera-session')).toBe(false)
    const { came, would } = await outcomeOf(place, begun)
    expect([came?.groups, would?.outcome]).toEqual([['cn=staff,dc=acme'], 'new'])
    expect(await everythingBesideTrials(place.tessera)).toEqual(before)
    const again = await begin(place, uuids.ldap)
    const other = place.browser()
    const form = await other.open(again.address)
    for (let count = 0; count < 5; count++) await other.submit(form, { name: 'ann', password: 'wrong' })
    expect((await outcomeOf(place, again)).problem?.code).toBe('throttled')
    expect((await other.submit(form, { name: 'ann', password: 'right' })).status).toBe(400)
  })

  it('is begun, waited for and shown by the command', async () => {
    const ada = place.somebody()
    const tried = async (more: string[], work: (address: string) => Promise<unknown>) => {
      let working: Promise<unknown> | undefined
      const ran = await runHere(['upstream', 'test', 'acme/entra', ...more], {
        environment: ways.http(place.tessera),
        hears: (text) => {
          const address = /http\S+trial=\S+/.exec(text)?.[0]
          if (address !== undefined) working ??= work(address)
        },
      })
      await working
      return ran
    }
    const browser = place.browser()
    const come = async (address: string) => {
      const left = await browser.submit(await browser.open(address))
      await place.back(browser, left, ada)
    }
    const { code, stdout } = await tried(['--json'], come)
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { state: 'done', would: { outcome: 'new' } }])
    const plain = await tried([], come)
    for (const shown of ['done', ada.email, ada.sub, 'new']) expect(plain.stdout).toContain(shown)
    const none = await runHere(['upstream', 'test', 'acme/none'], { environment: ways.http(place.tessera) })
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('There is no upstream acme/none')])
  })
})
