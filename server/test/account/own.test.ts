import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  post,
  profilesOfBoth,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { runHere } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { auditOf, secretsOf, setPolicy } from '../harness/states.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'

afterAll(cleanUp)

const minute = 60_000

onEachDatabase('what people change and see of their account', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(() => {
    tessera.clock.stop()
    return importEnrolled(tessera, ['owner', 'other'])
  })

  async function signedIn(person: { email: string; password: string }) {
    const one = new TestBrowser(tessera.url)
    await one.submit(await one.open('/account'), person)
    return one
  }

  async function enrolled(name: string) {
    const one = new TestBrowser(tessera.url)
    const asked = await one.submit(await one.open('/account'), personOf(name))
    await one.submit(asked, { code: codeOf(tessera) })
    tessera.clock.advance(30_000)
    return one
  }

  async function act(one: TestBrowser, page: Visit, fields: Record<string, string>): Promise<Visit> {
    const { csrf = '' } = formOn(page).hidden
    return await one.follow(await one.request(page.url, { form: { csrf, ...fields } }))
  }

  it('saves name, language and time zone without a fresh proof, of the person alone', async () => {
    const one = await enrolled('owner')
    tessera.clock.advance(11 * minute)
    const page = await one.open('/account/person')
    const save = (fields: Record<string, string>) => act(one, page, { do: 'save', ...fields })
    for (const name of ['', ' ', 'a\u202Eb', 'x'.repeat(201)])
      expect((await save({ name, locale: 'en', zoneinfo: '' })).status).toBe(400)
    for (const wrong of [{ locale: '<b>' }, { zoneinfo: 'Mars/Olympus' }])
      expect((await save({ name: 'Owner', ...wrong })).status).toBe(400)
    const fields = { name: 'Olive Owner', locale: 'de', zoneinfo: 'Europe/Zurich', email: 'x@evil.example' }
    const saved = await save({ ...fields, uuid: 'x', active: '0' })
    expect([saved.status, saved.body.includes('Ihre Angaben sind gespeichert.')]).toEqual([200, true])
    expect(saved.body).toContain(personOf('owner').email)
    const [record] = (await auditOf(tessera, { kind: 'user.changed' })).slice(-1)
    expect(record).toMatchObject({
      actor: { kind: 'user', id: record?.target?.id },
      after: { name: 'Olive Owner', locale: 'de', zoneinfo: 'Europe/Zurich' },
    })
    expect(record?.after).not.toHaveProperty('email')
  })

  it('leaves what a declared file says to the file', async () => {
    const one = await signedIn(people.importer)
    const page = await one.open('/account/person')
    expect(page.body).not.toContain('name="zoneinfo"')
    const { csrf = '' } = formOn(await one.open('/account/sign-in')).hidden
    const form = { csrf, do: 'save', name: 'Somebody Else', locale: '', zoneinfo: '' }
    expect((await one.request('/account/person', { form })).status).toBe(400)
    expect((await one.open('/account')).body).toContain('Acme Importer')
  })

  /** As an administrator makes one. */
  async function resetLinkOf(email: string): Promise<string> {
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
    const { stdout, stderr } = await runHere(['user', 'recover', email], { environment })
    const link = /https?:\/\/\S+/.exec(stdout)?.[0]
    if (link === undefined) throw new Error(stdout + stderr)
    const { pathname, search } = new URL(link)
    return pathname + search
  }

  it('changes the password after a fresh proof, by the current one', async () => {
    const next = 'seven red bicycles in rain'
    const one = await signedIn(people.importer)
    tessera.clock.advance(11 * minute)
    const list = await one.open('/account/sign-in')
    // With the cookie alone nobody comes as far as the form, or past it.
    const stolen = {
      new_password: next,
      new_password_again: next,
      current_password: people.importer.password,
    }
    expect((await act(one, list, { do: 'set_password', ...stolen })).body).not.toContain('bicycles')
    const asked = await act(one, list, { do: 'password' })
    const form = await one.submit(asked, { password: people.importer.password })
    const change = (fields: Record<string, string>) => one.submit(form, { ...stolen, ...fields })
    for (const wrong of [
      { current_password: '' },
      { current_password: people.both.password },
      { new_password: '', new_password_again: '' },
      { new_password: 'short', new_password_again: 'short' },
      { new_password: 'password123', new_password_again: 'password123' },
      { new_password: 'importer2026!', new_password_again: 'importer2026!' },
      { new_password_again: 'seven red bicycles in sun' },
    ]) {
      const refused = await change(wrong)
      expect([Object.keys(wrong)[0], refused.status]).toEqual([Object.keys(wrong)[0], 400])
      expect(refused.body).not.toContain('bicycles')
    }

    const link = await resetLinkOf(people.importer.email)
    expect((await new TestBrowser(tessera.url).open(link)).status).toBe(200)
    const done = await change({})
    expect([done.status, done.body.includes('The password is changed.')]).toEqual([200, true])
    expect((await new TestBrowser(tessera.url).open(link)).status).not.toBe(200)
    // The form of before, sent again: the current password is another by now.
    expect((await change({ new_password: 'x'.repeat(20), new_password_again: 'x'.repeat(20) })).status).toBe(
      400,
    )
    const old = new TestBrowser(tessera.url)
    expect((await old.submit(await old.open('/account'), people.importer)).status).toBe(400)
    expect((await one.open('/account')).status).toBe(200)
    await signedIn({ ...people.importer, password: next })
    const records = JSON.stringify(await auditOf(tessera, { kind: 'user.changed' }))
    expect(records).toContain('"password":"(changed)"')
    expect(records).not.toMatch(/bicycles|argon2/)
  })

  it('shows what applications were allowed, and withdraws it, by their own person', async () => {
    const ask = (prompt?: string) =>
      authorizeRequest({
        client_id: 'partner-portal',
        redirect_uri: 'https://partner.example/callback?tenant=1',
        scope: 'openid profile',
        prompt,
      }).path
    const profile = profilesOfBoth.reader
    const one = new TestBrowser(tessera.url)
    const consent = await signIn(one, ask(), people.both, profile)
    expect(consent.body).toMatch(/withdraw this yourself at any time: <a href="\/account\/applications"/)
    expect(answerOf(await one.submit(consent, { choice: 'allow' })).code).toBeDefined()
    const silent = async () => answerOf(await one.open(`${ask('none')}&profile_uuid=${profile}`)).error
    expect(await silent()).toBeUndefined()
    const page = await one.open('/account/applications')
    expect(page.body).toContain('Partner portal')
    expect(page.body).toContain('Your personal details')

    const other = await enrolled('other')
    const withdraw = { do: 'withdraw', client_id: 'partner-portal' }
    const { csrf = '' } = formOn(await other.open('/account/sign-in')).hidden
    expect((await other.request('/account/applications', { form: { csrf, ...withdraw } })).status).toBe(303)
    expect(await silent()).toBeUndefined()

    tessera.clock.advance(11 * minute)
    const asked = await act(one, page, withdraw)
    expect(asked.body).toContain('name="password"')
    expect(await silent()).toBeUndefined()
    const done = await one.submit(asked, { password: people.both.password })
    expect(done.body).not.toContain('Partner portal')
    expect(await silent()).toBe('consent_required')
    const [record] = (await auditOf(tessera, { kind: 'consent.withdrawn' })).slice(-1)
    expect(record?.actor).toMatchObject({ kind: 'user', id: record?.user_uuid })
  })

  it('shows where somebody belongs and what they may do there, and what happened to them alone', async () => {
    const one = await signedIn(people.both)
    const profiles = await one.open('/account/profiles')
    for (const text of ['Bookkeeper', 'Globex', 'Book an entry', 'Finance', 'See past imports'])
      expect(profiles.body).toContain(text)
    expect(profiles.body).not.toContain('Approve a submission')
    const activity = await one.open('/account/activity')
    expect(activity.body).toContain('You withdrew what an application was allowed')
    expect(activity.body).toMatch(/Through <bdi[^>]*>Partner portal</)
    // It happened to another person.
    expect(activity.body).not.toContain('A second factor')
    const nobody = await signedIn(people.nobody)
    const mine = await nobody.open('/account/activity')
    expect(mine.body.match(/You signed in/g)).toHaveLength(1)
    for (const before of ['1', '-1', 'x', "1' or 1=1"])
      expect((await nobody.open(`/account/activity?before=${encodeURIComponent(before)}`)).status).toBe(200)
    expect((await nobody.open('/account/profiles')).body).toContain('You have no profile')
  })

  it('names no application where a page of this service asked for the sign-in', async () => {
    const one = new TestBrowser(tessera.url)
    await one.open('/account')
    const sent = await one.submit(await one.open('/sign-in/forgotten'), { email: people.nobody.email })
    expect(sent.status).toBe(200)
    const [record] = (await auditOf(tessera, { kind: 'password_reset.requested' })).slice(-1)
    expect(record).not.toHaveProperty('client_id')
    const activity = (await (await signedIn(people.nobody)).open('/account/activity')).body
    expect(activity).toContain('A new password was asked for')
    expect(activity).not.toContain('Through')
  })

  /** A client with an address, by the command. */
  async function addApplication(name: string, ...options: string[]): Promise<void> {
    const host = `https://${name.toLowerCase()}.example/`
    const given = ['--type', 'public', '--scope', 'openid', '--redirect-uri', host, '--client-uri', host]
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
    const command = ['client', 'create', name.toLowerCase(), '--client-name', name, ...given, ...options]
    const { code, stderr } = await runHere(command, { environment })
    if (code !== 0) throw new Error(stderr)
  }

  it('shows at / the applications that somebody may open, to them alone', async () => {
    await addApplication('Open')
    await addApplication('Elsewhere', '--organisation', 'globex')
    await addApplication('Disabled', '--no-active')
    const front = await new TestBrowser(tessera.url).open('/')
    expect(front.body).not.toContain('open.example')
    const both = new TestBrowser(tessera.url)
    const page = await both.submit(await both.open('/home'), people.both)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/'])
    expect(page.headers.get('cache-control')).toBe('no-store')
    const hosts = (visit: Visit) =>
      [...visit.body.matchAll(/href="https:\/\/(\w+)\.example/g)].map(([, host]) => host)
    expect(hosts(page)).toEqual(['elsewhere', 'open'])
    // The console, for who administers.
    for (const path of ['/', '/account']) {
      expect((await both.open(path)).body).not.toContain('/console')
      expect((await (await signedIn(people.admin)).open(path)).body).toContain(
        '<a href="/console">Console</a>',
      )
    }
    expect(hosts(await (await enrolled('other')).open('/'))).toEqual(['open'])
    expect((await both.request('/', { headers: { accept: '*/*' } })).status).toBe(404)
    expect((await (await signedIn(people.nobody)).open('/')).body).toContain('no application here')
    // The password alone of somebody who has a second factor.
    expect(hosts(await (await signedIn(personOf('owner'))).open('/'))).toEqual([])
  })

  it('gives a copy of what is known, without a secret, once an hour and after a fresh proof', async () => {
    // With everything of which a hash or a secret is kept.
    await setPolicy(tessera, {}, { trusted_device_days: 30 })
    tessera.clock.advance(30_000)
    const one = new TestBrowser(tessera.url)
    const { path, verifier, parameters } = authorizeRequest()
    const entering = await one.submit(await one.open(path), personOf('other'))
    const entered = await one.submit(entering, { code: codeOf(tessera), trust: '1' })
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: parameters.redirect_uri ?? '',
      code: answerOf(entered).code ?? '',
      code_verifier: verifier,
    })
    await one.open(authorizeRequest({ prompt: 'none' }).path)
    await resetLinkOf(personOf('other').email)
    await act(one, await one.open('/account/sign-in'), { do: 'codes' })
    tessera.clock.advance(11 * minute)
    const page = await one.open('/account/data')
    const asked = await act(one, page, { do: 'download' })
    expect(asked.headers.get('content-type')).toContain('text/html')
    const done = await one.submit(asked, {
      password: personOf('other').password,
      proof_code: codeOf(tessera),
    })
    expect(done.headers.get('content-disposition')).toContain('attachment')
    expect(done.headers.get('cache-control')).toBe('no-store')
    const known = JSON.parse(done.body) as { person: object; factors: object[]; audit: { kind: string }[] }
    expect(known.person).toMatchObject({ email: personOf('other').email, hasPassword: true })
    expect(known.factors).toMatchObject([{ kind: 'totp' }])
    expect(known.audit.map(({ kind }) => kind)).toContain('account.downloaded')
    expect(done.body).not.toMatch(/argon2|GEZDGNBVGY3TQOJQ|hash"|cookie|owner@factors/)
    const secrets = await secretsOf(tessera, String(claimsOf(String(json.access_token)).sub))
    const columns = [
      'authorization_codes.secret_hash',
      'devices.id_hash',
      'factors.secret',
      'links.hash',
      'recovery_codes.hash',
      'sessions.cookie_hash',
      'token_families.current_hash',
      'token_families.family_hash',
      'trusted_devices.id_hash',
      'users.password_hash',
    ]
    expect(secrets.map(([column]) => column)).toEqual(expect.arrayContaining(columns))
    for (const [column, secret] of secrets)
      expect([column, done.body.includes(secret)]).toEqual([column, false])
    const again = await Promise.all([1, 2].map(() => act(one, page, { do: 'download' })))
    expect(again.map(({ status }) => status)).toEqual([429, 429])
    expect(Number(again[0]?.headers.get('retry-after'))).toBeGreaterThan(3000)
  })
})
