/** What somebody sees who opens the issuer itself. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'

onOneDatabase('GET /', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect)
  })
  afterAll(() => tessera?.close())
  const ask = (init: RequestInit = {}, at = tessera.url) => fetch(`${at}/`, { redirect: 'manual', ...init })

  it('says what this is, names the issuer, and leads to the interface description', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open('/')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.body).toContain('Applications send people here to sign in.')
    expect(page.body).toContain(`<code>${tessera.url}</code>`)
    const links = [...page.body.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href)
    expect(links).toEqual([
      '/home',
      '/console',
      `${tessera.url}/api/doc`,
      `${tessera.url}/.well-known/openid-configuration`,
    ])
    for (const link of links) expect((await browser.open(link)).status, link).toBe(200)
    // It is the same for everybody, and knows nobody.
    expect(page.headers.getSetCookie()).toEqual([])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('speaks German to who does', async () => {
    const page = await ask({ headers: { accept: 'text/html', 'accept-language': 'de-CH' } })
    expect(await page.text()).toContain('Anwendungen leiten Sie hierher')
  })

  it.each(['application/json', '*/*', 'text/html;q=0, application/json'])(
    'is nothing for a program that accepts %s',
    async (accept) => {
      const answer = await ask({ headers: { accept } })
      expect([answer.status, answer.headers.get('vary')]).toEqual([404, 'accept'])
      expect(await answer.json()).toEqual({
        error: 'not_found',
        error_description: 'There is nothing at this address. The addresses are in /api/doc.',
      })
    },
  )

  it.each(['POST', 'PUT', 'DELETE'])('takes no %s', async (method) => {
    const answer = await ask({ method, headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('leads to where the description is, when that is elsewhere', async () => {
    const elsewhere = await startTessera(dialect, {
      settings: { TESSERA_DOCS_URL: 'https://docs.acme.example/tessera' },
    })
    try {
      const page = await ask({ headers: { accept: 'text/html' } }, elsewhere.url)
      expect(await page.text()).toContain('<a href="https://docs.acme.example/tessera/api/doc">')
    } finally {
      await elsewhere.close()
    }
  })
})
