import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { answerOf, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { refusalOf, tokensOf } from '../harness/program.ts'
import { asked, exchanged, newAddress, registered } from './client-document-support.ts'
import { opening, push, refusedPage } from './par-support.ts'

const minute = 60_000

onOneDatabase('a request that a client pushes which is a document', (dialect) => {
  const tessera = administeredOn(dialect, {
    TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
    TESSERA_LIMIT_AUTHORIZE: '0',
  })
  let host: DocumentServer
  let agent: string
  beforeAll(async () => {
    host = await DocumentServer.start()
  })
  beforeEach(async () => {
    host.reset()
    agent = await registered(await Administrator.machine(tessera.url), host)
    host.asked = 0
  })
  afterAll(async () => await host.close())
  const opened = async (request: ReturnType<typeof asked>) => {
    const { status, text, json } = await push(tessera.url, request.query)
    expect(status, text).toBe(201)
    return opening(agent, String(json.request_uri))
  }

  it('asks for consent each time that it is opened, until there is a code', async () => {
    const request = asked(agent)
    const path = await opened(request)
    const browser = new TestBrowser(tessera.url)
    const first = await signIn(browser, path, people.importer)
    const again = await browser.open(path)
    for (const page of [first, again]) {
      expect(new URL(page.url).pathname).toBe('/consent')
      expect(page.body).toContain(new URL(agent).host)
    }
    const { code = '' } = answerOf(await browser.submit(again, { choice: 'allow' }))
    tokensOf(await exchanged(tessera.url, request, code))
    expect(refusedPage(await browser.open(path))).toBe('400')
    expect(host.asked).toBe(0)
  })

  it('is refused in the characters of an error_description alone, whatever the document says', async () => {
    host.says['redirect_uris'] = ['https://evil.example/"\\<b>\'. It is fine.\u202E']
    tessera.clock.advance(8 * 24 * 60 * minute)
    const answer = await push(tessera.url, asked(agent).query)
    // It asserts what characters there are.
    expect(refusalOf(answer)).toBe('400 invalid_client')
    expect(answer.json['error_description']).toContain(
      "it has the redirect URI 'https://evil.example/??<b>?. It is fine.?', which",
    )
  })

  it('is judged by the document of its moment: a new address counts, and one that was dropped does not', async () => {
    const added = 'http://localhost/added'
    host.says['redirect_uris'] = [added]
    const request = asked(agent, { redirect_uri: added })
    expect(refusalOf(await push(tessera.url, request.query))).toBe('400 invalid_request')
    tessera.clock.advance(5 * minute + 1000)
    const path = await opened(request)
    expect(host.asked).toBe(1)
    const late = await opened(request)
    expect((await new TestBrowser(tessera.url).open(path)).status).toBe(200)
    tessera.clock.advance(5 * minute - 10_000)
    const dropped = await opened(request)
    host.says['redirect_uris'] = ['http://localhost/callback']
    tessera.clock.advance(20_000)
    const { status, location } = await new TestBrowser(tessera.url).open(dropped)
    expect([status, location]).toEqual([400, undefined])
    expect(refusedPage(await new TestBrowser(tessera.url).open(late))).toBe('400')
  })

  it('is refused, and asks nobody, where nobody registered the address', async () => {
    const request = asked(newAddress(host))
    expect(refusalOf(await push(tessera.url, request.query))).toBe('401 invalid_client')
    expect(host.asked).toBe(0)
  })
})
