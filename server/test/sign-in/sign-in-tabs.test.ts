import { beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  profilesOfBoth,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const partner = {
  client_id: 'partner-portal',
  redirect_uri: 'https://partner.example/callback?tenant=1',
  scope: 'openid',
}

/** Two tabs of one browser, and two people who share it. */
onOneDatabase('sign-ins side by side', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const inOtherTab = async (person: { email: string; password: string }) =>
    browser.submit(await browser.open(authorizeRequest({ prompt: 'login' }).path), person)

  async function whoIs(visit: Visit, request: ReturnType<typeof authorizeRequest>) {
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: request.parameters.client_id ?? '',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: answerOf(visit).code ?? '',
      code_verifier: request.verifier,
    })
    return claimsOf(json.id_token as string).email
  }

  it('sign in whose password was typed, although somebody else signed in in another tab meanwhile', async () => {
    const request = authorizeRequest()
    const page = await browser.open(request.path)
    await inOtherTab(people.admin)
    expect(await whoIs(await browser.submit(page, people.importer), request)).toBe(people.importer.email)
  })

  it('refuse a wrong password, although somebody else signed in in another tab meanwhile', async () => {
    const page = await browser.open(authorizeRequest().path)
    await inOtherTab(people.admin)
    const visit = await browser.submit(page, { ...people.importer, password: 'a wrong password' })
    expect([visit.status, pathOf(visit)]).toEqual([400, '/sign-in'])
  })

  it('go on without a password in a tab that is opened anew after the sign-in', async () => {
    const request = authorizeRequest()
    const page = await browser.open(request.path)
    await inOtherTab(people.admin)
    expect(await whoIs(await browser.open(page.url), request)).toBe(people.admin.email)
  })

  it('are cancelled where cancel was chosen, although another tab signed in', async () => {
    const page = await browser.open(authorizeRequest().path)
    await inOtherTab(people.admin)
    expect(answerOf(await browser.submit(page, { choice: 'cancel' })).error).toBe('access_denied')
  })

  it('take a consent from the person that it was shown to alone', async () => {
    const page = await signIn(browser, authorizeRequest(partner).path, people.importer)
    expect([pathOf(page), page.body.includes('Acme Importer')]).toEqual(['/consent', true])
    await inOtherTab(people.admin)
    const visit = await browser.submit(page, { choice: 'allow' })
    expect(visit.location).toBeUndefined()
    // The admin is asked, and so far has allowed nothing.
    expect([pathOf(visit), visit.body.includes('Acme Admin')]).toEqual(['/consent', true])
    const silent = await browser.open(authorizeRequest({ ...partner, prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('consent_required')
    expect(answerOf(await browser.submit(visit, { choice: 'allow' }))).toHaveProperty('code')
  })

  it('take the choice of a profile from the person whose profile it is alone', async () => {
    const request = authorizeRequest()
    const page = await signIn(browser, request.path, people.both)
    await inOtherTab(people.importer)
    const visit = await browser.submit(page, { profile_uuid: profilesOfBoth.bookkeeper })
    expect(await whoIs(visit, request)).toBe(people.importer.email)
  })

  it('ask for a password where a sign-in was asked for, when somebody else signed in in another tab since', async () => {
    const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    const done = await browser.submitOnce(page, people.importer)
    await inOtherTab(people.admin)
    expect(pathOf(await browser.follow(done))).toBe('/sign-in')
  })

  it('ask for a password when the session ended in another tab', async () => {
    const choosing = await signIn(browser, authorizeRequest().path, people.both)
    await browser.submit(await browser.open('/oauth2/logout'))
    const visit = await browser.submit(choosing, { profile_uuid: profilesOfBoth.reader })
    expect([visit.status, pathOf(visit)]).toEqual([200, '/sign-in'])
    expect(visit.body).not.toContain('Acme Both')
  })

  it('of several requests end each with its own client, state and redirect_uri', async () => {
    const [one, two] = [authorizeRequest(), authorizeRequest(partner)]
    const [first, second] = [await browser.open(one.path), await browser.open(two.path)]
    const answer = answerOf(await browser.submit(first, people.importer))
    expect(answer).toMatchObject({ state: one.parameters.state, code: expect.any(String) })
    const other = await browser.submit(await browser.open(second.url), { choice: 'allow' })
    expect(other.location?.startsWith('https://partner.example/callback?tenant=1&code=')).toBe(true)
    expect(answerOf(other).state).toBe(two.parameters.state)
  })

  it('of two people at the same moment leave one session, of the one whose answer came last', async () => {
    const pages = [await browser.open(authorizeRequest().path), await browser.open(authorizeRequest().path)]
    const visits = await Promise.all([
      browser.submitOnce(pages[0] as Visit, people.importer),
      browser.submitOnce(pages[1] as Visit, people.admin),
    ])
    expect(visits.map((visit) => visit.status)).toEqual([303, 303])
    const request = authorizeRequest({ prompt: 'none' })
    expect(await whoIs(await browser.open(request.path), request)).toMatch(/^(importer|admin)@/)
  })

  it('ask another person anew where consent was asked for, although they gave it before', async () => {
    const asking = () => authorizeRequest({ ...partner, prompt: 'consent' }).path
    const before = new TestBrowser(tessera.url)
    await before.submit(await signIn(before, asking(), people.admin), { choice: 'allow' })
    const page = await browser.open(asking())
    await browser.submitOnce(await browser.submit(page, people.importer), { choice: 'allow' })
    const visit = await browser.submit(page, people.admin)
    expect([pathOf(visit), visit.body.includes('Acme Admin')]).toEqual(['/consent', true])
  })
})
