import { expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  profilesOfBoth,
  redirectUri,
  signIn,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const ofImporter = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101'

onOneDatabase('the choice of a profile', (dialect) => {
  const tessera = tesseraOn(dialect)

  const browser = () => new TestBrowser(tessera.url)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const checked = (visit: Visit) => /value="([^"]+)" autofocus/.exec(visit.body)?.[1]
  const offered = (visit: Visit) =>
    [...visit.body.matchAll(/name="profile_uuid" value="([^"]+)"/g)].map((match) => match[1])

  it('is asked of a person with several, preselects nothing at first and the last choice later', async () => {
    const own = browser()
    const first = await signIn(own, authorizeRequest().path, people.both)
    expect([first.status, pathOf(first)]).toEqual([200, '/choose-profile'])
    expect(offered(first).sort()).toEqual(Object.values(profilesOfBoth).sort())
    expect(checked(first)).toBeUndefined()
    await own.submit(first, { profile_uuid: profilesOfBoth.bookkeeper })
    const second = await own.open(authorizeRequest().path)
    expect([pathOf(second), checked(second)]).toEqual(['/choose-profile', profilesOfBoth.bookkeeper])
    const elsewhere = await signIn(browser(), authorizeRequest().path, people.both)
    expect(checked(elsewhere)).toBe(profilesOfBoth.bookkeeper)
  })

  it('decides what the tokens say', async () => {
    const reader = await tokensFor(tessera.url, people.both, { profile: profilesOfBoth.reader })
    const bookkeeper = await tokensFor(tessera.url, people.both, { profile: profilesOfBoth.bookkeeper })
    expect(claimsOf(reader.id_token)).toMatchObject({
      profile_uuid: profilesOfBoth.reader,
      role_code: 'reader',
    })
    expect(claimsOf(bookkeeper.id_token)).toMatchObject({
      profile_uuid: profilesOfBoth.bookkeeper,
      role_code: 'bookkeeper',
    })
  })

  it('is skipped by profile_uuid when it is the person’s own, with prompt=none too', async () => {
    const own = browser()
    const asked = authorizeRequest({ profile_uuid: profilesOfBoth.reader })
    expect(answerOf(await signIn(own, asked.path, people.both))).toHaveProperty('code')
    for (const profile of Object.values(profilesOfBoth)) {
      const changes = { profile_uuid: profile.toUpperCase(), prompt: 'none' }
      expect(answerOf(await own.open(authorizeRequest(changes).path))).toHaveProperty('code')
    }
  })

  it('is asked when the profile_uuid is somebody else’s or nobody’s', async () => {
    const own = browser()
    for (const profile of [ofImporter, '00000000-0000-4000-8000-000000000000']) {
      const visit = await signIn(
        own,
        authorizeRequest({ profile_uuid: profile, prompt: 'login' }).path,
        people.both,
      )
      expect([visit.status, pathOf(visit)]).toEqual([200, '/choose-profile'])
      const silent = await own.open(authorizeRequest({ profile_uuid: profile, prompt: 'none' }).path)
      expect(answerOf(silent).error).toBe('interaction_required')
    }
  })

  it('never acts under another person’s profile, by profile_uuid or by the form', async () => {
    const tokens = await tokensFor(tessera.url, people.importer, {
      changes: { profile_uuid: profilesOfBoth.bookkeeper },
    })
    expect(claimsOf(tokens.access_token).profile_uuid).toBe(ofImporter)
    const own = browser()
    const page = await signIn(own, authorizeRequest().path, people.both)
    for (const profile of [ofImporter, 'x', profilesOfBoth.reader.toUpperCase(), '__proto__']) {
      const visit = await own.submit(page, { profile_uuid: profile })
      expect([visit.status, pathOf(visit)]).toEqual([400, '/choose-profile'])
      expect(visit.body).toContain('no longer available')
    }
  })

  it('says what is missing when nothing was chosen', async () => {
    const own = browser()
    const page = await signIn(own, authorizeRequest().path, people.both)
    const visit = await own.submit(page, { profile_uuid: '' })
    expect([visit.status, pathOf(visit)]).toEqual([400, '/choose-profile'])
    expect(visit.body).toContain('That profile is no longer available. Choose another one.')
  })

  it('refuses a form that names two profiles', async () => {
    const own = browser()
    const page = await signIn(own, authorizeRequest().path, people.both)
    const form = new URLSearchParams({ csrf: /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '' })
    for (const profile of Object.values(profilesOfBoth)) form.append('profile_uuid', profile)
    const visit = await own.request(page.url, { form })
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain('<code>invalid_request</code>')
  })

  it('is one request’s own: what one tab chooses changes nothing in another', async () => {
    const own = browser()
    const one = await signIn(own, authorizeRequest({ state: 'one' }).path, people.both)
    const two = await own.open(authorizeRequest({ state: 'two' }).path)
    expect(answerOf(await own.submit(one, { profile_uuid: profilesOfBoth.reader })).state).toBe('one')
    const stillAsked = await own.open(two.url)
    expect(pathOf(stillAsked)).toBe('/choose-profile')
    expect(answerOf(await own.submit(two, { profile_uuid: profilesOfBoth.bookkeeper })).state).toBe('two')
  })

  it('can be cancelled: the client gets access_denied', async () => {
    const own = browser()
    const { path, parameters } = authorizeRequest()
    const visit = await own.submit(await signIn(own, path, people.both), { choice: 'cancel' })
    const { error_description: _, ...answer } = answerOf(visit)
    expect(visit.status).toBe(303)
    expect(answer).toEqual({ error: 'access_denied', state: parameters.state, iss: tessera.url })
  })

  it('lets another person sign in, whose own profiles count', async () => {
    const own = browser()
    const page = await signIn(own, authorizeRequest().path, people.both)
    const switched = await own.submit(page, { choice: 'switch' })
    expect([switched.status, pathOf(switched)]).toEqual([200, '/sign-in'])
    expect(switched.body).not.toContain('both@acme.example')
    expect(answerOf(await own.submit(switched, people.importer))).toHaveProperty('code')
  })

  it('keeps the session of the first person until the other has signed in', async () => {
    const own = browser()
    await own.submit(await signIn(own, authorizeRequest().path, people.both), { choice: 'switch' })
    expect(pathOf(await own.open(authorizeRequest().path))).toBe('/choose-profile')
  })

  it('tells somebody without a profile so, and the client gets access_denied', async () => {
    const own = browser()
    const { path, parameters } = authorizeRequest()
    const page = await signIn(own, path, people.nobody)
    expect([page.status, pathOf(page)]).toEqual([403, '/no-profile'])
    expect(page.body).toContain('Acme Nobody')
    const visit = await own.submit(page, { choice: 'continue' })
    expect(visit.location?.startsWith(redirectUri)).toBe(true)
    const { error_description: _, ...answer } = answerOf(visit)
    expect(answer).toEqual({ error: 'access_denied', state: parameters.state, iss: tessera.url })
  })

  it('gives somebody without a profile no code, whatever is posted or asked for', async () => {
    const own = browser()
    const asked = authorizeRequest({ profile_uuid: ofImporter }).path
    const page = await signIn(own, asked, people.nobody)
    for (const fields of [{ profile_uuid: ofImporter }, { choice: 'allow' }, {}]) {
      expect(answerOf(await own.submit(page, fields)).error).toBe('access_denied')
    }
    const search = new URL(page.url).search
    expect(pathOf(await own.open(`/choose-profile${search}`))).toBe('/no-profile')
    expect(pathOf(await own.open(`/oauth2/authorize/continue${search}`))).toBe('/no-profile')
  })

  it('lets somebody without a profile change the account', async () => {
    const own = browser()
    const page = await signIn(own, authorizeRequest().path, people.nobody)
    const switched = await own.submit(page, { choice: 'switch' })
    expect(answerOf(await own.submit(switched, people.importer))).toHaveProperty('code')
  })
})
