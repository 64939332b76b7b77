import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, formOn, people, post, TestBrowser, tokensFor } from '../harness/browser.ts'
import type { Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { auditOf } from '../harness/states.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'

afterAll(cleanUp)

const minute = 60_000
const pages = ['/account', '/account/sign-in', '/account/sessions']

onOneDatabase('the account', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => {
    tessera.clock.stop()
    return importEnrolled(tessera, ['owner'])
  })

  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const refresh = async (token = '') =>
    (
      await post(`${tessera.url}/oauth2/token`, {
        grant_type: 'refresh_token',
        client_id: 'submissions-web',
        refresh_token: token,
      })
    ).status

  async function act(one: TestBrowser, page: Visit, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(page).hidden
    return await one.follow(await one.request(page.url, { form: { csrf, ...fields } }))
  }

  async function signedIn(person: { email: string; password: string }, path = '/account') {
    const one = new TestBrowser(tessera.url)
    return { one, page: await one.submit(await one.open(path), person) }
  }

  const sidsOn = (page: Visit) =>
    [...page.body.matchAll(/name="sid" value="([^"]+)"/g)].map(([, sid = '']) => sid)

  it('leads who is not signed in to the sign-in, and back', async () => {
    for (const path of pages) {
      const one = new TestBrowser(tessera.url)
      expect((await one.request(path, { method: 'HEAD' })).status).toBe(405)
      expect((await one.request(path, { form: { do: 'others' } })).status).toBe(403)
      const asked = await one.open(path)
      expect(pathOf(asked)).toBe('/sign-in')
      const wrong = await one.submit(asked, { ...people.importer, password: 'not the password' })
      expect([wrong.status, pathOf(wrong)]).toEqual([400, '/sign-in'])
      const page = await one.submit(wrong, people.importer)
      expect([page.status, pathOf(page)]).toEqual([200, path])
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
    const [record] = await auditOf(tessera, { kind: 'sign_in.succeeded' })
    expect(record).not.toHaveProperty('client_id')
  })

  it('takes everybody who has an account, asks them no profile, and ends where "cancel" leads', async () => {
    for (const person of [people.nobody, people.both]) {
      const { page } = await signedIn(person)
      expect([page.status, pathOf(page)]).toEqual([200, '/account'])
      expect(page.body).toContain(person.email)
    }
    const one = new TestBrowser(tessera.url)
    const cancelled = await one.submit(await one.open('/account'), { choice: 'cancel' })
    expect([cancelled.status, pathOf(cancelled)]).toEqual([200, '/'])
  })

  it('begins a sign-in for one browser and one page', async () => {
    const one = new TestBrowser(tessera.url)
    const asked = await one.open('/account?here=https://evil.example&redirect_uri=https://evil.example')
    const other = new TestBrowser(tessera.url)
    expect((await other.open(asked.url)).status).toBe(400)
    expect(pathOf(await one.submit(asked, people.importer))).toBe('/account')
    // An application can't begin one, and gets its own answer.
    const request = authorizeRequest({ here: '/account', client_id: '' })
    expect((await one.request(request.path)).status).toBe(400)
    const own = await one.request(authorizeRequest({ here: '/account' }).path)
    expect(new URL(own.location ?? '').pathname).toBe('/callback')
  })

  it('shows nothing to who proved the password alone of somebody with a second factor', async () => {
    const { one, page } = await signedIn(personOf('owner'))
    expect(pathOf(page)).toBe('/sign-in/second-factor')
    for (const path of pages) {
      const shown = await one.open(path)
      expect(shown.body).toContain('name="proof_code"')
      expect(shown.body).not.toContain(personOf('owner').email)
    }
    const done = await one.submit(page, { code: codeOf(tessera) })
    expect([done.status, pathOf(done)]).toEqual([200, '/account'])
    expect(done.body).toContain(personOf('owner').email)
    tessera.clock.advance(30_000)
  })

  it('ends one session elsewhere, with what it gave, after a fresh proof', async () => {
    const elsewhere = new TestBrowser(tessera.url)
    elsewhere.headers['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
    const { refresh_token: token = '' } = await tokensFor(tessera.url, people.importer, {
      browser: elsewhere,
    })
    const { one } = await signedIn(people.importer)
    const { one: thief } = await signedIn(people.nobody)
    const page = await one.open('/account/sessions')
    expect(page.body).toContain('Firefox, Linux')
    // The last one that was used comes first, and has no button.
    const [sid = ''] = sidsOn(page)
    expect(sid).toMatch(/^[0-9a-f-]{36}$/)
    expect((await act(thief, await thief.open('/account/sessions'), { do: 'end', sid })).status).toBe(200)
    expect((await elsewhere.open('/account')).body).toContain(people.importer.email)

    tessera.clock.advance(11 * minute)
    const asking = await act(one, page, { do: 'end', sid })
    expect(asking.body).toContain('name="password"')
    const wrong = await one.submit(asking, { password: people.nobody.password })
    expect(wrong.status).toBe(400)
    expect((await elsewhere.open('/account')).body).toContain(people.importer.email)
    const done = await one.submit(wrong, { password: people.importer.password })
    expect(sidsOn(done)).not.toContain(sid)
    expect(pathOf(await elsewhere.open('/account'))).toBe('/sign-in')
    expect(await refresh(token)).toBe(400)
    const ended = (await auditOf(tessera, { kind: 'session.ended' })).at(-1)
    expect(ended).toMatchObject({ target: { kind: 'session', id: sid }, detail: { reason: 'account' } })
  })

  it('ends all others at once, by a form of its own session alone', async () => {
    const { refresh_token: token = '' } = await tokensFor(tessera.url, people.both, {
      profile: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201',
    })
    const { one } = await signedIn(people.both)
    const { one: other } = await signedIn(people.both)
    const { csrf = '' } = formOn(await other.open('/account/sessions')).hidden
    for (const form of [{ do: 'others' }, { do: 'others', csrf }, { do: 'others', csrf: 'x' }])
      expect((await one.request('/account/sessions', { form })).status).toBe(403)
    const page = await one.open('/account/sessions')
    const done = await act(one, page, { do: 'others' })
    expect(done.body).toContain('You are signed out there.')
    expect(sidsOn(done)).toEqual([])
    expect(pathOf(await other.open('/account'))).toBe('/sign-in')
    expect(await refresh(token)).toBe(400)
  })
})
