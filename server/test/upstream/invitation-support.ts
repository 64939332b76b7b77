/** What tests of set-up links share: the place, the link, and the guide as a browser goes through it. */
import { afterAll, beforeAll, expect } from 'vitest'
import { formOn, type TestBrowser, type Visit } from '../harness/browser.ts'
import type { Dialect } from '../harness/databases.ts'
import { DnsServer } from '../harness/dns-server.ts'
import { acme, Place } from './sign-in-support.ts'

export const path = '/upstream-invitations'

/** A link that was made. */
export interface MadeLink {
  uuid: string
  address: string
}

export class InvitingPlace extends Place {
  readonly dns = new DnsServer()

  async invite(organisation_uuid = acme, by = this.admin): Promise<MadeLink> {
    const { status, text, json } = await by.post(path, { organisation_uuid })
    expect(status, text).toBe(201)
    return { uuid: String(json.uuid), address: String(json.address) }
  }

  read = async ({ uuid }: { uuid: string }) => (await this.admin.get(`${path}/${uuid}`)).json

  /** A browser that began by a link. */
  async begin({ address }: MadeLink): Promise<TestBrowser> {
    const browser = this.browser()
    await browser.submit(await browser.open(address))
    return browser
  }

  step = async (browser: TestBrowser, step: string, fields: Record<string, string> = {}): Promise<Visit> =>
    await browser.submit(await browser.open(`/connect/${step}`), fields)

  /** A form with files, as that of metadata is. */
  async upload(browser: TestBrowser, fields: Record<string, string | Blob>): Promise<Visit> {
    const { action, hidden } = formOn(await browser.open('/connect/values'))
    const form = new FormData()
    for (const [name, value] of Object.entries({ ...hidden, ...fields })) form.append(name, value)
    return await browser.follow(await browser.request(action, { form }))
  }

  /** Enters the provider of the tests. */
  async enterOidc(browser: TestBrowser, changes: Record<string, string> = {}): Promise<Visit> {
    await this.step(browser, 'provider', { provider: 'keycloak' })
    const { issuer, clientId: client_id, clientSecret: client_secret } = this.provider
    return await this.step(browser, 'values', { issuer, client_id, client_secret, ...changes })
  }

  /** Enters a domain and its record, and yields the record. */
  async enterDomain(browser: TestBrowser, name: string): Promise<string> {
    const page = await this.step(browser, 'domain', { domain: name })
    const token = /tessera-domain=[\w-]{43}/.exec(page.body)?.[0] ?? ''
    expect(token).not.toBe('')
    this.dns.names[`_tessera.${name}`] = { TXT: [token] }
    return token
  }

  confirm = async (link: { uuid: string }, more: object = {}, by = this.admin) =>
    await by.post(`${path}/${link.uuid}/confirm`, { ...(await this.shown(link)), ...more })

  private shown = async (link: { uuid: string }) => ({ entry_hash: (await this.read(link)).entry_hash })
}

export function invitingOn(dialect: Dialect, settings: Record<string, string> = {}): InvitingPlace {
  const place = new InvitingPlace()
  beforeAll(async () => {
    await place.dns.listen()
    await place.start(dialect, { TESSERA_DNS_SERVERS: place.dns.address, ...settings })
  })
  afterAll(async () => {
    await place.close()
    await place.dns.close()
  })
  return place
}
