import { beforeAll, beforeEach, expect, it } from 'vitest'
import { users } from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  people,
  profilesOfBoth,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { applyChanged } from '../declared/change.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { allConsents, forgetConsents, giveConsents } from '../harness/states.ts'

const partner = {
  client_id: 'partner-portal',
  redirect_uri: 'https://partner.example/callback?tenant=1',
  scope: 'openid profile',
}

/** The partner may ask for one scope more. */
const wider: [string, string] = ['    scope: openid profile\n', '    scope: openid profile email\n']

/** Somebody who has allowed nothing yet. */
const stranger = { email: 'stranger@acme.example', password: 'correct horse battery nine' }
const declaredStranger = `  - email: ${stranger.email}
    name: Acme Stranger
    password: ${stranger.password}
    profiles: [{ role: reader, organisation: acme }]
`

onEachDatabase('consent', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeAll(async () => {
    await applyChanged(tessera, ['users:\n', `users:\n${declaredStranger}`])
  })
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const ask = (changes: Record<string, string> = {}) => authorizeRequest({ ...partner, ...changes })

  it('is asked of a client that is not first-party, says what and for whom, and is remembered', async () => {
    const page = await signIn(browser, ask().path, people.importer)
    expect([page.status, pathOf(page)]).toEqual([200, '/consent'])
    for (const text of [
      'Partner portal',
      'Acme Importer',
      'partner.example',
      'Who you are here',
      'personal details',
    ]) {
      expect(page.body).toContain(text)
    }
    expect(page.body).not.toContain('Your e-mail address')
    expect(answerOf(await browser.submit(page, { choice: 'allow' }))).toHaveProperty('code')
    expect(answerOf(await browser.open(ask().path))).toHaveProperty('code')
    expect(answerOf(await browser.open(ask({ prompt: 'none' }).path))).toHaveProperty('code')
    // In another browser of the same person too.
    expect(answerOf(await signIn(new TestBrowser(tessera.url), ask().path, people.importer))).toHaveProperty(
      'code',
    )
    // Fewer scopes are part of what was allowed.
    expect(answerOf(await browser.open(ask({ scope: 'openid' }).path))).toHaveProperty('code')
  })

  it('is asked again with prompt=consent, each time', async () => {
    const allowed = await signIn(browser, ask().path, people.importer)
    await browser.submit(allowed, { choice: 'allow' }).catch(() => undefined)
    for (let n = 0; n < 2; n++) {
      const page = await browser.open(ask({ prompt: 'consent' }).path)
      expect(pathOf(page)).toBe('/consent')
      expect(answerOf(await browser.submit(page, { choice: 'allow' }))).toHaveProperty('code')
    }
  })

  onOne.it('is asked with prompt=consent of whoever signs in as somebody else', async () => {
    const allowed = await signIn(browser, ask().path, people.importer)
    await browser.submit(allowed, { choice: 'allow' }).catch(() => undefined)
    const other = new TestBrowser(tessera.url)
    const choosing = await signIn(other, ask({ prompt: 'consent' }).path, people.both)
    expect(pathOf(choosing)).toBe('/choose-profile')
    const again = await other.submit(choosing, { choice: 'switch' })
    expect(pathOf(again)).toBe('/sign-in')
    expect(pathOf(await other.submit(again, people.importer))).toBe('/consent')
  })

  it('is asked again when more is asked for than was allowed', async () => {
    const page = await signIn(browser, ask({ scope: 'openid' }).path, people.admin)
    await browser.submit(page, { choice: 'allow' })
    expect(pathOf(await browser.open(ask().path))).toBe('/consent')
    expect(answerOf(await browser.open(ask({ prompt: 'none' }).path)).error).toBe('consent_required')
  })

  it('is one person’s own: another is asked', async () => {
    const page = await signIn(browser, ask().path, people.importer)
    if (page.location === undefined) await browser.submit(page, { choice: 'allow' })
    const other = await signIn(
      new TestBrowser(tessera.url),
      ask({ profile_uuid: profilesOfBoth.reader }).path,
      people.both,
    )
    expect(pathOf(other)).toBe('/consent')
  })

  onOne.it.each(['deny', 'cancel', '', 'Allow', 'yes'])(
    'counts as denied with the choice "%s"',
    async (choice) => {
      const { path, parameters } = ask({ prompt: 'consent login' })
      const page = await signIn(browser, path, people.both, profilesOfBoth.reader)
      expect(pathOf(page)).toBe('/consent')
      const visit = await browser.submit(page, { choice })
      expect(
        visit.location?.startsWith('https://partner.example/callback?tenant=1&error=access_denied&'),
      ).toBe(true)
      expect(answerOf(visit)).toMatchObject({ state: parameters.state, iss: tessera.url })
      expect(answerOf(visit)).not.toHaveProperty('code')
    },
  )

  onOne.it('is not remembered when it was denied', async () => {
    const page = await signIn(browser, ask().path, people.both, profilesOfBoth.reader)
    await browser.submit(page, { choice: 'deny' })
    const again = ask({ profile_uuid: profilesOfBoth.reader, prompt: 'none' }).path
    expect(answerOf(await browser.open(again)).error).toBe('consent_required')
  })

  onOne.it('can’t be given for more by the form: what was asked for is what is allowed', async () => {
    const page = await signIn(browser, ask({ scope: 'openid' }).path, people.both, profilesOfBoth.reader)
    const visit = await browser.submit(page, {
      choice: 'allow',
      scope: 'openid profile',
      client_id: 'submissions-web',
    })
    expect(visit.location?.startsWith('https://partner.example/callback?tenant=1&code=')).toBe(true)
    const more = ask({ profile_uuid: profilesOfBoth.reader, prompt: 'none' }).path
    expect(answerOf(await browser.open(more)).error).toBe('consent_required')
  })

  onOne.it('can’t be given for a step that comes before it', async () => {
    const signInPage = await browser.open(ask().path)
    const visit = await browser.request(signInPage.url.replace('/sign-in', '/consent'), {
      form: { csrf: csrfOf(signInPage), choice: 'allow' },
    })
    expect(new URL(visit.location ?? '').pathname).toBe('/oauth2/authorize/continue')
    expect(pathOf(await browser.follow(visit))).toBe('/sign-in')
  })

  it('of one person does not count for another who signs in before the answer is fetched', async () => {
    const changes = { scope: 'openid', prompt: 'consent' }
    const page = await signIn(browser, ask(changes).path, people.admin)
    const unfetched = await browser.submitOnce(page, { choice: 'allow' })
    // Meanwhile, in another tab of the same browser:
    const other = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    await browser.submit(other, stranger)
    const visit = await browser.follow(unfetched)
    expect([visit.location, pathOf(visit)]).toEqual([undefined, '/consent'])
    expect(visit.body).toContain('Acme Stranger')
  })

  it('stays remembered when another is given beside it, and when fewer scopes are allowed again', async () => {
    const page = await signIn(browser, ask({ prompt: 'login' }).path, stranger)
    if (page.location === undefined) await browser.submit(page, { choice: 'allow' })
    const again = await browser.open(ask({ prompt: 'consent', scope: 'openid' }).path)
    expect(answerOf(await browser.submit(again, { choice: 'allow' }))).toHaveProperty('code')
    expect(answerOf(await browser.open(ask({ prompt: 'none' }).path))).toHaveProperty('code')
    // What nobody was asked for is not remembered.
    await applyChanged(tessera, wider, ['users:\n', `users:\n${declaredStranger}`])
    const more = ask({ prompt: 'none', scope: 'openid profile email' }).path
    expect(answerOf(await browser.open(more)).error).toBe('consent_required')
    const other = await browser.open(ask({ scope: 'openid email' }).path)
    expect(answerOf(await browser.submit(other, { choice: 'allow' }))).toHaveProperty('code')
    for (const scope of ['openid email', 'openid profile', 'openid profile email'])
      expect(answerOf(await browser.open(ask({ prompt: 'none', scope }).path))).toHaveProperty('code')
  })

  it('keeps both that are given at the same time, also the very first', async () => {
    await applyChanged(tessera, wider)
    await signIn(browser, authorizeRequest({ prompt: 'login' }).path, people.importer)
    for (let round = 0; round < 8; round++) {
      await forgetConsents(tessera)
      const pages = [
        await browser.open(ask({ scope: 'openid profile' }).path),
        await browser.open(ask({ scope: 'openid email' }).path),
      ]
      await Promise.all(pages.map((page) => browser.submitOnce(page, { choice: 'allow' })))
      const both = ask({ prompt: 'none', scope: 'openid profile email' }).path
      expect(answerOf(await browser.open(both))).toHaveProperty('code')
    }
    await applyChanged(tessera, ['users:\n', `users:\n${declaredStranger}`])
  })

  it('adds to what this person allowed this client and to nothing else, each scope once, and tells when', async () => {
    await signIn(browser, authorizeRequest({ prompt: 'login' }).path, people.importer)
    const one = {
      user_uuid: users.importer,
      client_id: partner.client_id,
      scope: 'openid profile',
      services: '[]',
      permissions: '[]',
      redirect_hosts: '["partner.example"]',
      claims: '[]',
      onward: '[]',
      reach: null,
      granted_at: 1,
    }
    const others = [
      { ...one, user_uuid: users.both, scope: 'email' },
      { ...one, client_id: 'submissions-web', scope: 'email' },
    ]
    await forgetConsents(tessera)
    await giveConsents(tessera, one, ...others)
    const page = await browser.open(ask({ prompt: 'consent', scope: 'profile openid' }).path)
    expect(answerOf(await browser.submit(page, { choice: 'allow' }))).toHaveProperty('code')
    const given = await allConsents(tessera)
    expect(given[0]).toEqual({ ...one, granted_at: given[0]?.granted_at })
    expect(given.slice(1)).toEqual(expect.arrayContaining(others))
    expect(given[0]?.granted_at).toBeGreaterThan(1)
  })

  const csrfOf = (page: Visit) => /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
})
