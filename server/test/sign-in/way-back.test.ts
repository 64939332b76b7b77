/** "Back" after a finished sign-in: the page names the application, and how to go on. */
import { beforeEach, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { changeClient } from '../harness/states.ts'

const hour = 3_600_000

onOneDatabase('back after a finished sign-in', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeEach(async () => {
    browser = new TestBrowser(tessera.url)
    await changeClient(tessera, 'submissions-web', { client_uri: null, client_name: 'Submissions <web>' })
  })

  async function finished(): Promise<Visit> {
    const page = await browser.open(authorizeRequest().path)
    expect(answerOf(await browser.submit(page, people.importer))).toHaveProperty('code')
    return page
  }
  const linksOn = ({ body }: Visit) =>
    [...body.matchAll(/<a href="((?:https|\/)[^"]*)"/g)].map((found) => found[1])
  const expectOver = (visit: Visit) => {
    expect(visit.status).toBe(400)
    expect(visit.body).toContain('request_expired')
    expect(visit.body).toContain('<h1>This sign-in is over</h1>')
    expect(visit.body).not.toContain('Submissions')
  }

  it('names the application, and says that one is signed in', async () => {
    const page = await finished()
    for (const visit of [
      await browser.request(page.url),
      await browser.submit(page, people.importer),
      await browser.request(page.url.replace('/sign-in', '/oauth2/authorize/continue')),
      await browser.request(page.url.replace('/sign-in', '/choose-profile')),
    ]) {
      expect(visit.status).toBe(400)
      expect(visit.body).toContain('<h1>You are signed in</h1>')
      expect(visit.body).toContain('Submissions &lt;web&gt;')
      expect(visit.body).toContain('request_expired')
      expect(linksOn(visit)).toEqual(['/'])
    }
  })

  it('leads to the application where its address is known', async () => {
    const page = await finished()
    const address = 'https://submissions.acme.example/'
    await changeClient(tessera, 'submissions-web', { client_uri: address })
    expect(linksOn(await browser.request(page.url))).toEqual([address])
  })

  it('names it for a day, and no longer than one is signed in', async () => {
    const page = await finished()
    tessera.clock.advance(hour)
    expect((await browser.request(page.url)).body).toContain('<h1>You are signed in</h1>')
    await browser.submit(await browser.open('/oauth2/logout'), { choice: 'leave' })
    expectOver(await browser.request(page.url))
  })

  it('names nothing to another browser, nor to another person in this one', async () => {
    const page = await finished()
    const other = new TestBrowser(tessera.url)
    await other.submit(await other.open(authorizeRequest().path), people.importer)
    expectOver(await other.request(page.url))
    const again = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    await browser.submit(again, people.admin)
    expectOver(await browser.request(page.url))
  })

  it('names no application that was switched off', async () => {
    const page = await finished()
    await changeClient(tessera, 'submissions-web', { active: 0 })
    expectOver(await browser.request(page.url))
    await changeClient(tessera, 'submissions-web', { active: 1 })
  })

  it('says of one that ran out which application to go back to, also without its address', async () => {
    const page = await browser.open(authorizeRequest().path)
    tessera.clock.advance(2 * hour)
    const visit = await browser.request(page.url)
    expect(visit.body).toContain('<h1>This sign-in is over</h1>')
    expect(visit.body).toMatch(/Go back to .*Submissions &lt;web&gt;.* and start again/)
  })
})
