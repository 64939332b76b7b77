import { beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  people,
  post,
  profilesOfBoth,
  redirectUri,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const importer = '  - email: importer@acme.example'
const submissionsWeb = '  - client_id: submissions-web'

/** What is disabled while a sign-in is under way counts from then on (decisions 2, 4). */
onEachDatabase('something disabled in the middle of a sign-in', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  // What a test changed is as it was for the next.
  let changed = false
  const apply = async (...edits: [part: string, by: string][]) => {
    changed = edits.length > 0
    await applyChanged(tessera, ...edits)
  }
  beforeEach(async () => {
    if (changed) await apply()
    browser = new TestBrowser(tessera.url)
  })

  const pathOf = (visit: Visit) => new URL(visit.url).pathname

  it('asks for another sign-in when the user was disabled after the password', async () => {
    await signIn(browser, authorizeRequest().path, people.importer)
    await apply(disabled(importer))
    const page = await browser.open(authorizeRequest().path)
    expect(pathOf(page)).toBe('/sign-in')
    expect(page.body).not.toContain('Acme Importer')
    const refused = await browser.submit(page, people.importer)
    expect([refused.status, pathOf(refused)]).toEqual([400, '/sign-in'])
    expect(answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path)).error).toBe(
      'login_required',
    )
  })

  it('ends the session for good: enabled again, the person signs in anew', async () => {
    await signIn(browser, authorizeRequest().path, people.importer)
    await apply(disabled(importer))
    await apply()
    expect(pathOf(await browser.open(authorizeRequest().path))).toBe('/sign-in')
  })

  onOne.it('gives no code to a user disabled while choosing a profile', async () => {
    const page = await signIn(browser, authorizeRequest().path, people.both)
    await apply(disabled('  - email: both@acme.example'))
    const visit = await browser.submit(page, { profile_uuid: profilesOfBoth.reader })
    expect([visit.status, pathOf(visit)]).toEqual([200, '/sign-in'])
  })

  it.each([
    ['profile', `      - uuid: ${profilesOfBoth.bookkeeper}`],
    ['role', '  - code: bookkeeper'],
    ['organisation', '  - code: globex'],
  ])('does not offer or take a profile whose %s was disabled', async (_what, line) => {
    const request = authorizeRequest()
    const page = await signIn(browser, request.path, people.both)
    expect(page.body).toContain(profilesOfBoth.bookkeeper)
    await apply(disabled(line))
    // One is left: the person goes through under that one, and not under the one that was chosen.
    const { code } = answerOf(await browser.submit(page, { profile_uuid: profilesOfBoth.bookkeeper }))
    const { json } = await exchange(code, request.verifier)
    const { json: info } = await userinfo(json.access_token)
    expect(info.profile_uuid).toBe(profilesOfBoth.reader)
  })

  it('does not offer a profile whose unit was disabled', async () => {
    await apply(disabled('      - code: finance'))
    const request = authorizeRequest({ profile_uuid: profilesOfBoth.reader })
    const { code } = answerOf(await signIn(browser, request.path, people.both))
    const { json } = await exchange(code, request.verifier)
    expect((await userinfo(json.access_token)).json.profile_uuid).toBe(profilesOfBoth.bookkeeper)
  })

  onOne.it('tells a person whose only profile was disabled so', async () => {
    await apply(disabled('  - code: importer'))
    const { path } = authorizeRequest()
    const page = await signIn(browser, path, people.importer)
    expect([page.status, pathOf(page)]).toEqual([403, '/no-profile'])
    const silent = await browser.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('access_denied')
  })

  onOne.it(
    'does not let a person on with a profile disabled while the page without profiles was shown',
    async () => {
      const page = await signIn(browser, authorizeRequest().path, people.nobody)
      await apply(['profiles: []', 'profiles: [{ role: reader, organisation: acme }]'])
      // The other way round: given a profile meanwhile, the person goes through.
      expect(answerOf(await browser.submit(page, { choice: 'continue' }))).toHaveProperty('code')
    },
  )

  it('shows that the client was disabled, and never redirects to it', async () => {
    const page = await browser.open(authorizeRequest().path)
    await apply(disabled(submissionsWeb))
    for (const visit of [
      await browser.submit(page, people.importer),
      await browser.open(page.url),
      await browser.open(`/oauth2/authorize/continue${new URL(page.url).search}`),
      await browser.submit(page, { choice: 'cancel' }),
    ]) {
      expect([visit.status, visit.location]).toEqual([400, undefined])
      expect(visit.body).toContain('<code>invalid_client</code>')
    }
    const anew = await browser.open(authorizeRequest().path)
    expect([anew.status, anew.body.includes('<code>invalid_client</code>')]).toEqual([400, true])
  })

  onOne.it('never redirects to an address that is registered no longer', async () => {
    const page = await browser.open(authorizeRequest().path)
    await apply([`[${redirectUri}, `, '['])
    const visit = await browser.submit(page, people.importer)
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain('<code>invalid_redirect_uri</code>')
    const cancelled = await browser.submit(await restarted(), { choice: 'cancel' })
    expect([cancelled.status, cancelled.location]).toEqual([400, undefined])
  })

  /** A request begun while the address was registered, its page still open when it no longer is. */
  async function restarted(): Promise<Visit> {
    await apply()
    const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    await apply([`[${redirectUri}, `, '['])
    return page
  }

  onOne.it('answers invalid_scope when a scope was taken from the client meanwhile', async () => {
    const page = await browser.open(authorizeRequest().path)
    await apply(['scope: openid email profile service.api', 'scope: openid email'])
    const visit = await browser.submit(page, people.importer)
    expect(answerOf(visit)).toMatchObject({ error: 'invalid_scope', iss: tessera.url })
  })

  onOne.it.each([
    ['the user', importer, 'invalid_grant'],
    ['the profile', '      - uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101', 'invalid_grant'],
    ['the role', '  - code: importer', 'invalid_grant'],
    ['the unit', '      - code: intake', 'invalid_grant'],
    ['the organisation', '  - code: acme', 'invalid_grant'],
    ['the client', submissionsWeb, 'invalid_client'],
  ])('refuses the code when %s was disabled before its exchange', async (_what, line, error) => {
    const [request, later] = [authorizeRequest(), authorizeRequest()]
    const { code } = answerOf(await signIn(browser, request.path, people.importer))
    const { code: next } = answerOf(await browser.open(later.path))
    // Nearly as old as a code may be.
    tessera.clock.stop()
    tessera.clock.advance(50_000)
    await apply(disabled(line))
    expect((await exchange(code, request.verifier)).json.error).toBe(error)
    // Enabled again within the minute that a code lives: neither comes back.
    await apply()
    expect((await exchange(code, request.verifier)).json.error).toBe('invalid_grant')
    expect((await exchange(next, later.verifier)).json.error).toBe('invalid_grant')
  })

  const exchange = (code: string | undefined, verifier: string) =>
    post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: redirectUri,
      code: code ?? '',
      code_verifier: verifier,
    })

  const userinfo = (token: unknown) =>
    post(`${tessera.url}/oauth2/userinfo`, {}, { authorization: `Bearer ${String(token)}` })
})
