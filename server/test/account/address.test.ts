import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Administrator, administeredOn, globex } from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { formOn, people, TestBrowser, type Visit } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo, passCode, shownTo } from '../harness/development-mail.ts'
import { cleanUp, run, temporaryFolder, withSecret } from '../harness/process.ts'
import { auditOf } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { codeOf } from '../sign-in/factor-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

const minute = 60_000
const day = 24 * 60 * minute
const password = 'a password of nine lives'
const path = '/account/person'
const names = ['anna', 'bert', 'cleo', 'dora', 'emil', 'frida', 'gustav', 'hanna', 'ivo'] as const
const at = (name: string) => `${name}@people.example`

onEachDatabase('another address', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  const uuids = new Map<string, string>()
  const administrator = () => Administrator.machine(tessera.url)
  beforeAll(async () => {
    tessera.clock.stop()
    const all = await administrator()
    for (const name of names) {
      const { json } = await all.post('/users', { email: at(name), name, password })
      uuids.set(name, String(json.uuid))
    }
  })

  const fresh = () => new TestBrowser(tessera.url)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  async function signedIn(email: string, secret = password) {
    const one = fresh()
    const page = await one.submit(await one.open('/account'), { email, password: secret })
    expect(pathOf(page)).toBe('/account')
    return one
  }
  const act = async (one: TestBrowser, fields: Record<string, string>, to = path) => {
    const { csrf = '' } = formOn(await one.open('/account/sign-in')).hidden
    return await one.follow(await one.request(to, { form: { csrf, ...fields } }))
  }
  const ask = (one: TestBrowser, email: string) => act(one, { do: 'address', email })
  const read = new Set<string>()
  /** The link of the next mail to an address whose subject is this; one without a link is passed over. */
  async function nextLink(email: string, subject: string): Promise<string> {
    return await vi.waitFor(
      async () => {
        const all = await shownTo(tessera, email)
        const found = all.find(
          (one) => one.subject === subject && !read.has(one.id) && one.text.includes('link='),
        )
        if (found === undefined) throw new Error(`There is no mail “${subject}” to ${email}.`)
        read.add(found.id)
        return linkIn(found)
      },
      { timeout: 60_000, interval: 50 },
    )
  }
  const confirmationTo = (email: string) => nextLink(email, 'Confirm your address')
  const withdrawAt = (email: string) => nextLink(email, 'Your address is about to change')
  const undoAt = (email: string) => nextLink(email, 'Your address was changed')
  /** From one address to another, up to the page that says so. */
  async function move(one: TestBrowser, email: string): Promise<Visit> {
    await ask(one, email)
    return await one.submit(await one.open(await confirmationTo(email)))
  }
  const addressOf = async (name: string) => {
    const { json } = await (await administrator()).get(`/users/${uuids.get(name)}`)
    return [json.email, json.email_verified]
  }
  const pressIn = async (link: string) => {
    const one = fresh()
    const page = await one.open(link)
    return page.status === 200 ? await one.submitOnce(page) : page
  }

  it('counts once its mail is confirmed, signed in as the person who asked, once', async () => {
    const one = await signedIn(at('anna'))
    tessera.clock.advance(11 * minute)
    const asked = await ask(one, 'anna@new.example')
    expect(asked.body).toContain('name="password"')
    expect(await shownTo(tessera, 'anna@new.example')).toEqual([])
    const answer = await one.submit(asked, { password })
    expect(answer.body).toContain('a mail is on its way to it')
    const notice = await mailTo(tessera, at('anna'), 'Your address is about to change')
    expect(notice.text).toContain('a•••@new.example')
    expect(notice.text).toContain('Network address: 127.0.0.1')
    const link = await confirmationTo('anna@new.example')
    expect(link).toMatch(/^\/account\/address\?link=[\w-]{43}$/)
    const text = new URL(link, tessera.url).searchParams.get('link') ?? ''

    // Scanners, other people and other sites change nothing.
    const scanner = fresh()
    expect((await scanner.request(link, { method: 'HEAD' })).status).toBe(405)
    expect(pathOf(await scanner.open(link))).toBe('/sign-in')
    const form = { do: 'confirm', link: text }
    expect((await scanner.request('/account/address', { form })).status).toBe(403)
    const other = await signedIn(at('bert'))
    const shown = await other.open(link)
    expect([shown.status, shown.body.includes('for another account')]).toEqual([403, true])
    expect(shown.body).not.toContain('anna')
    expect((await act(other, form, '/account/address')).status).toBe(400)
    for (const csrf of ['', 'x', formOn(await other.open('/account/sign-in')).hidden.csrf ?? ''])
      expect((await one.request('/account/address', { form: { ...form, csrf } })).status).toBe(403)
    expect(await addressOf('anna')).toEqual([at('anna'), false])

    // Another browser of the person comes back to the page.
    const phone = fresh()
    const page = await phone.submit(await phone.open(link), { email: at('anna'), password })
    expect([page.status, pathOf(page)]).toEqual([200, '/account/address'])
    expect(page.body).toContain('anna@new.example')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const both = await Promise.all([1, 2].map(() => phone.submitOnce(page)))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400])
    expect(await addressOf('anna')).toEqual(['anna@new.example', true])
    expect(await one.open(link)).toMatchObject({ status: 400 })
    // It ends nothing.
    expect((await one.open(path)).body).toContain('anna@new.example')
    await signedIn('anna@new.example')
    const old = fresh()
    expect((await old.submit(await old.open('/account'), { email: at('anna'), password })).status).toBe(400)
    const undoing = await mailTo(tessera, at('anna'), 'Your address was changed')
    expect(undoing.text).toContain('/account/not-me?link=')
    const told = await mailTo(tessera, 'anna@new.example', 'Your address was changed')
    expect(told.text).not.toContain('link=')
    const records = await auditOf(tessera, { user: uuids.get('anna') })
    const own = records.filter(({ kind }) => kind.startsWith('address.'))
    expect(own.map(({ kind }) => kind)).toEqual(['address.requested', 'address.changed'])
    expect(JSON.stringify(own[0])).not.toContain('new.example')
    expect(own[1]).toMatchObject({
      actor: { kind: 'user', id: uuids.get('anna') },
      before: { email: at('anna') },
      after: { email: 'anna@new.example' },
    })
    expect(JSON.stringify(records)).not.toContain(text)
  })

  once.it(
    'is refused when it is none, looks like another, is the same, or is asked for too often',
    async () => {
      const one = await signedIn(at('bert'))
      for (const wrong of [
        '',
        'x',
        'a b@people.example',
        'b\u200Bert@people.example',
        'bert@peo\u0440le.example',
      ])
        expect(await ask(one, wrong)).toMatchObject({ status: 400 })
      expect((await ask(one, at('bert'))).body).toContain('This is your address already.')
      // Another link takes the place of the one before, whichever address it is for.
      await ask(one, 'first@new.example')
      const first = await confirmationTo('first@new.example')
      await ask(one, 'second@new.example')
      const second = await confirmationTo('second@new.example')
      expect(await one.open(first)).toMatchObject({ status: 400 })
      for (const count of [3, 4, 5])
        expect([count, (await ask(one, at('nobody'))).status]).toEqual([count, 200])
      expect(await ask(one, at('nobody'))).toMatchObject({ status: 429 })
      tessera.clock.advance(day)
      const later = await signedIn(at('bert'))
      expect(await later.open(second)).toMatchObject({ status: 400 })
      // The way of writing it alone, which is proved like any other.
      await move(later, 'Bert@People.example')
      expect(await addressOf('bert')).toEqual(['Bert@People.example', true])
      const notice = await mailTo(tessera, at('bert'), 'Your address was changed')
      expect(notice.text).not.toContain('link=')
    },
  )

  once.it('tells nobody that somebody has it already, but who has it', async () => {
    const one = await signedIn(at('cleo'))
    const seen = []
    for (const email of [at('dora'), 'DORA@people.example', 'free@new.example']) {
      const { csrf = '' } = formOn(await one.open('/account/sign-in')).hidden
      const before = (await auditOf(tessera, {})).length
      const answer = await one.request(path, { form: { csrf, do: 'address', email } })
      const done = await one.follow(answer)
      await withdrawAt(at('cleo'))
      const page = done.body.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|value="[^"]*"/g, '')
      const headers = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
      seen.push({ headers, status: answer.status, page, told: (await auditOf(tessera, {})).length - before })
    }
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
    await mailTo(tessera, at('dora'), 'Somebody wanted to use your address')
    await confirmationTo('free@new.example')
    const subjects = async (email: string) => (await shownTo(tessera, email)).map(({ subject }) => subject)
    expect(await subjects(at('dora'))).not.toContain('Confirm your address')
  })

  it('is refused when somebody got it meanwhile, or an administrator changed that from before', async () => {
    const one = await signedIn(at('dora'))
    await ask(one, 'meanwhile@new.example')
    const page = await one.open(await confirmationTo('meanwhile@new.example'))
    const all = await administrator()
    const made = await all.post('/users', { email: 'Meanwhile@new.example', name: 'Other' })
    expect(made.status).toBe(201)
    expect((await one.submit(page)).status).toBe(400)
    await ask(one, 'waits@new.example')
    const waiting = await one.open(await confirmationTo('waits@new.example'))
    expect((await all.patch(`/users/${uuids.get('dora')}`, { email: 'dora@firm.example' })).status).toBe(200)
    expect((await one.submit(waiting)).status).toBe(400)
    expect(await addressOf('dora')).toEqual(['dora@firm.example', false])
    // Both are told of what an administrator changes; neither can undo it.
    for (const email of [at('dora'), 'dora@firm.example'])
      expect((await mailTo(tessera, email, 'Your address was changed')).text).not.toContain('link=')
    expect((await all.post('/users', { email: at('dora'), name: 'Next' })).status).toBe(201)
  })

  it('leaves that from before to nobody else for seven days', async () => {
    const one = await signedIn(at('emil'))
    await move(one, 'emil@new.example')
    const all = await administrator()
    const taken = { status: 409 }
    expect(await all.post('/users', { email: 'EMIL@people.example', name: 'Other' })).toMatchObject(taken)
    expect(await all.patch(`/users/${uuids.get('ivo')}`, { email: at('emil') })).toMatchObject(taken)
    const other = await signedIn(at('ivo'))
    expect((await ask(other, at('emil'))).body).toContain('a mail is on its way to it')
    await mailTo(tessera, at('emil'), 'Somebody wanted to use your address')
    const invited = await all.post('/invitations', { email: at('emil'), profiles: [] })
    expect(invited.status).toBe(201)
    const guest = await fresh().open(linkIn(await mailTo(tessera, at('emil'), 'You are invited')))
    expect([guest.status, guest.body.includes('name="password_again"')]).toEqual([200, false])

    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
    const rows = join(temporaryFolder(), 'rows.jsonl')
    writeFileSync(rows, `${JSON.stringify({ email: at('emil'), name: 'Other' })}\n`)
    const imported = await run(['import', rows], { environment: withSecret(environment) })
    expect(imported.stdout + imported.stderr).toContain('This address is taken')
    const file = join(temporaryFolder(), 'more.yaml')
    writeFileSync(file, `users:\n  - email: ${at('emil')}\n    name: Other\n`)
    const planned = await runHere(['plan', file], { environment })
    expect(planned.stdout + planned.stderr).toContain('gave it up')

    tessera.clock.advance(7 * day)
    const link = await undoAt(at('emil'))
    expect(await fresh().open(link)).toMatchObject({ status: 400 })
    const later = await administrator()
    expect((await later.post('/users', { email: at('emil'), name: 'Other' })).status).toBe(201)
    expect(await addressOf('emil')).toEqual(['emil@new.example', true])
  })

  it('is undone by that from before, with all that came after it', async () => {
    const owner = await signedIn(at('frida'))
    const thief = await signedIn(at('frida'))
    await move(thief, 'thief@b.example')
    const early = await undoAt(at('frida'))
    // The thief adds a second factor, of which the thief is told, and moves on.
    const setUp = await act(thief, { do: 'add' }, '/account/sign-in')
    const given = { browser: thief, page: setUp, address: 'thief@b.example' }
    const shown = await passCode(tessera, given)
    const secret = /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(shown.body)?.[1]?.replaceAll(' ', '') ?? ''
    await thief.submit(shown, { name: 'Phone of a thief', code: codeOf(tessera, 0, secret) })
    const factor = linkIn(await mailTo(tessera, 'thief@b.example', 'A second factor was set up'))
    await move(thief, 'thief@c.example')
    const ofThief = await undoAt('thief@b.example')
    expect(await addressOf('frida')).toEqual(['thief@c.example', true])

    const page = await fresh().open(early)
    expect(page.body).toContain('Your address becomes again the one that this mail went to')
    expect((await pressIn(early)).status).toBe(200)
    expect(await addressOf('frida')).toEqual([at('frida'), true])
    for (const gone of [owner, thief]) expect(pathOf(await gone.open('/account'))).toBe('/sign-in')
    const again = fresh()
    const refused = await again.submit(await again.open('/account'), { email: at('frida'), password })
    expect(refused.status).toBe(400)
    const all = await administrator()
    expect((await all.get(`/users/${uuids.get('frida')}/factors`)).text).not.toContain('thief')
    // Nothing that was mailed to the thief does anything any more, and the addresses are free.
    for (const link of [early, ofThief, factor]) expect(await pressIn(link)).toMatchObject({ status: 400 })
    expect(await addressOf('frida')).toEqual([at('frida'), true])
    expect((await all.post('/users', { email: 'thief@b.example', name: 'B' })).status).toBe(201)
    const [undone] = await auditOf(tessera, { kind: 'address.undone' })
    expect(undone).toMatchObject({
      actor: { kind: 'anonymous' },
      before: { email: 'thief@c.example' },
      after: { email: at('frida') },
    })
  })

  it('is withdrawn by that from before, and undone by its first mail too', async () => {
    const one = await signedIn(at('gustav'))
    await ask(one, 'gustav@new.example')
    const withdraw = await withdrawAt(at('gustav'))
    const link = await confirmationTo('gustav@new.example')
    expect((await pressIn(withdraw)).status).toBe(200)
    expect((await pressIn(withdraw)).status).toBe(400)
    expect(pathOf(await one.open(link))).toBe('/sign-in')
    const all = await administrator()
    await all.patch(`/users/${uuids.get('gustav')}`, { password })
    const again = await signedIn(at('gustav'))
    expect(await again.open(link)).toMatchObject({ status: 400 })
    await ask(again, 'gustav@other.example')
    const first = await withdrawAt(at('gustav'))
    await again.submit(await again.open(await confirmationTo('gustav@other.example')))
    expect(await addressOf('gustav')).toEqual(['gustav@other.example', true])
    expect((await pressIn(first)).status).toBe(200)
    expect(await addressOf('gustav')).toEqual([at('gustav'), true])
  })

  it('is given back by who returns to it, and then nothing of the other undoes that', async () => {
    const one = await signedIn(at('hanna'))
    await move(one, 'hanna@b.example')
    await ask(one, 'hanna@c.example')
    const ofOther = await withdrawAt('hanna@b.example')
    await move(one, at('hanna'))
    expect(await addressOf('hanna')).toEqual([at('hanna'), true])
    expect(await pressIn(ofOther)).toMatchObject({ status: 400 })
    const all = await administrator()
    expect((await all.post('/users', { email: 'hanna@b.example', name: 'B' })).status).toBe(201)
    expect(pathOf(await one.open('/account'))).toBe('/account')
  })

  it('is changed in the declared file where one manages the person', async () => {
    const one = await signedIn(people.importer.email, people.importer.password)
    const page = await one.open(path)
    expect(page.body).toContain('The address is kept in the file')
    expect(page.body).not.toContain('name="email"')
    const answer = await ask(one, 'importer@new.example')
    expect(answer.body).toContain('The address is kept in the file')
    expect(await shownTo(tessera, 'importer@new.example')).toEqual([])
  })

  once.it(
    'is for administrators where the installation or an organisation of the person says so',
    async () => {
      const all = await administrator()
      const profile = { user_uuid: uuids.get('ivo'), role_code: 'reader', organisation_uuid: globex }
      expect((await all.post('/profiles', profile)).status).toBe(201)
      const one = await signedIn(at('ivo'))
      await ask(one, 'ivo@new.example')
      const link = await confirmationTo('ivo@new.example')
      const set = async (path: string, policy: object) => {
        const { etag } = await all.get(path)
        const method = path === '/policy' ? 'PUT' : 'PATCH'
        const body = path === '/policy' ? policy : { policy }
        expect((await all.ask(method, path, { body, match: etag })).status).toBe(200)
      }
      for (const path of ['/policy', `/organisations/${globex}`]) {
        const shown = await one.open(link)
        expect(shown.status).toBe(200)
        await set(path, { email_change: 'administrator' })
        // Also what was asked for before.
        expect((await one.submit(shown)).status).toBe(400)
        const page = await ask(one, 'ivo@other.example')
        expect(page.body).toContain('Ask the people who run this service for another address.')
        await set(path, { email_change: 'self' })
      }
      expect(await addressOf('ivo')).toEqual([at('ivo'), false])
      expect(await shownTo(tessera, 'ivo@other.example')).toEqual([])
      expect((await one.submit(await one.open(link))).status).toBe(200)
      expect(await addressOf('ivo')).toEqual(['ivo@new.example', true])
    },
  )
})
