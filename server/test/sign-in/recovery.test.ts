/** A link by which an administrator lets somebody set a new password. */
import { hashSync } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  heads,
  problemOf,
  users,
} from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  signIn,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { Authenticator } from '../harness/authenticator.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { cleanUp } from '../harness/process.ts'
import { refresh, refusalOf, userinfo } from '../harness/program.ts'
import {
  auditOf,
  changeClient,
  everythingKept,
  giveBesideFactors,
  setPolicy,
  usersOf,
} from '../harness/states.ts'
import { asked, byPasskey, credentialOf } from './passkey-support.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, wrongCode } from './factor-support.ts'

afterAll(cleanUp)

const hour = 3_600_000
const fresh = 'seven quiet ferries at dawn'
const typed = { password: fresh, password_again: fresh }
const names = ['elsewhere', 'mighty', 'codes', 'owner', 'swapped', 'locked', 'counted'] as const
const plain = [
  'once',
  'many',
  'risen',
  'ended',
  'signed',
  'replaced',
  'off',
  'mine',
  'words',
  'limits',
  'keyed',
  'plugged',
] as const

onEachDatabase('a link that sets a password', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, {
    TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
    TESSERA_LIMIT_SIGN_IN_ACCOUNT: '2',
  })
  let admin: Administrator
  let own: Administrator
  const uuids = new Map<string, string>()
  const uuidOf = (name: string) => uuids.get(name) ?? ''

  beforeAll(async () => {
    // Codes count for half a minute, which a slow machine spends by itself.
    tessera.clock.stop()
    await importEnrolled(tessera, names, 'importer')
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    for (const name of plain) {
      const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
      const made = { email: personOf(name).email, name, profiles }
      expect((await own.post('/users', made)).status).toBe(201)
    }
    for (const name of [...names, ...plain]) {
      const { json } = await admin.get(`/users?q=${personOf(name).email}`)
      uuids.set(name, String((json.items as { uuid: string }[])[0]?.uuid))
    }
    const bookkeeper = { role_code: 'bookkeeper', organisation_uuid: globex, active: false }
    const mighty = { role_code: 'administrator', organisation_uuid: acme }
    for (const body of [
      { ...bookkeeper, user_uuid: uuidOf('elsewhere') },
      { ...mighty, user_uuid: uuidOf('mighty') },
    ])
      expect((await admin.post('/profiles', body)).status).toBe(201)
  })

  const recover = (who: Administrator, uuid: string) =>
    who.post(`/users/${uuid}/recovery`, { delivery: 'link' })
  async function linkFor(name: string, who = own): Promise<string> {
    const { status, json } = await recover(who, uuidOf(name))
    expect([status, json.link]).toEqual([
      201,
      expect.stringMatching(/^http:\/\/localhost:\d+\/sign-in\/reset\?link=[\w-]{43}$/),
    ])
    return String(json.link)
  }
  const browser = () => new TestBrowser(tessera.url)
  const hasEnded = ({ status, body }: Visit) =>
    status === 400 && body.includes('<h1>This link has ended</h1>')
  const asksPassword = ({ status, body }: Visit) => status === 200 && body.includes('name="password_again"')
  const asksFactor = ({ status, body }: Visit) => status === 200 && !body.includes('name="password"')
  const isDone = (visit: Visit) => visit.status === 200 && new URL(visit.url).pathname === '/account'
  const canSignIn = async (name: string, password: string) =>
    (await signIn(browser(), authorizeRequest().path, { ...personOf(name), password })).status !== 400

  onOne.it('is made by nobody who could not set the password, and for nobody’s own account', async () => {
    for (const who of [own, await Administrator.person(tessera.url, heads.head)])
      for (const name of ['elsewhere', 'mighty'])
        expect(problemOf(await recover(who, uuidOf(name)))).toBe('403 forbidden')
    for (const uuid of [users.admin, '99999999-9999-4999-8999-999999999999', 'x'])
      expect(problemOf(await recover(own, uuid))).toBe('404 not_found')
    const head = await Administrator.person(tessera.url, heads.head)
    const [self] = (await admin.all(`/users?q=${heads.head.email}`)).map(({ uuid }) => String(uuid))
    expect(problemOf(await recover(head, String(self)))).toBe('403 forbidden')
    for (const permissions of [['iam.factors.delete'], ['iam.users.update']]) {
      await changeClient(tessera, 'onlooker-cli', { permissions: JSON.stringify(permissions) })
      const lesser = await Administrator.machine(tessera.url, 'onlooker-cli')
      const { status, text } = await recover(lesser, uuidOf('once'))
      expect([status, text.includes('"error":"insufficient_scope"')]).toEqual([403, true])
    }
    await own.patch(`/users/${uuidOf('off')}`, { active: false })
    expect(problemOf(await recover(own, uuidOf('off')))).toBe('409 conflict')
    expect(await auditOf(tessera, { kind: 'password_reset.requested' })).toEqual([])
  })

  it('sets it once, in any browser, and changes nothing when it is opened', async () => {
    const link = await linkFor('once')
    const scanner = browser()
    const before = await everythingKept(tessera)
    for (const method of ['GET', 'HEAD', 'GET'])
      expect((await scanner.request(link, { method })).status).toBe(200)
    expect(await everythingKept(tessera)).toBe(before)
    expect(before).not.toContain(link.split('link=')[1])
    const one = browser()
    const page = await one.open(link)
    expect(page.body).toContain('o•••@factors.example')
    expect(page.body).not.toContain(personOf('once').email)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    // Another browser's form, and one of another site.
    const stolen = await browser().request(page.url, { form: { ...formOn(page).hidden, ...typed } })
    expect(stolen.body).toContain('form_expired')
    expect(
      (
        await one.request(page.url, {
          form: { ...typed, link: link.split('link=')[1] ?? '', do: 'password' },
        })
      ).status,
    ).toBe(403)
    for (const [wrong, words] of [
      [{}, 'Enter a password.'],
      [{ password: 'short', password_again: 'short' }, 'at least 8'],
      [{ password: 'password1', password_again: 'password1' }, 'guessed first'],
      [{ password: 'factors.example1', password_again: 'factors.example1' }, 'guessed first'],
      [{ ...typed, password_again: 'another' }, 'not the same'],
    ] as const) {
      const again = await one.submit(page, wrong as Record<string, string>)
      expect([again.status, again.body.includes(words)]).toEqual([400, true])
    }
    await setPolicy(tessera, {}, { password_length: 30 })
    expect((await one.submit(page, typed)).body).toContain('at least 30')
    await setPolicy(tessera, {}, null)
    expect(isDone(await one.submit(page, typed))).toBe(true)
    expect(hasEnded(await one.submit(page, typed))).toBe(true)
    expect(hasEnded(await one.open(link))).toBe(true)
    expect(await canSignIn('once', fresh)).toBe(true)
    const records = await auditOf(tessera, { target: uuidOf('once') })
    expect(records.filter(({ kind }) => kind.startsWith('password_reset'))).toMatchObject([
      {
        kind: 'password_reset.requested',
        actor: { id: 'acme-cli' },
        detail: { by: 'administrator', link: 'shown' },
      },
      {
        kind: 'password_reset.completed',
        actor: { kind: 'user', id: uuidOf('once') },
        detail: { link: 'shown' },
      },
    ])
    expect(JSON.stringify(records)).not.toContain(link.split('link=')[1])
  })

  onOne.it('offers a passkey first to who has no password, and to nobody else', async () => {
    const link = await linkFor('keyed')
    const one = browser()
    const page = await one.open(link)
    expect(page.body).toContain('Choose how you sign in')
    const key = new Authenticator(tessera.url)
    const { options, form } = await asked(one, page, 'passkey')
    const other = browser()
    const theirs = await other.open(link)
    // Of another browser's challenge, of an authenticator that verified nobody, and once more.
    const refused = [
      await other.submit(theirs, form(key.create(options as never))),
      await one.submit(page, form(key.create(options as never, { userVerified: false }))),
      await one.submit(page, form(key.create(options as never))),
    ]
    for (const { status, body } of refused)
      expect([status, body.includes('was not accepted')]).toEqual([400, true])
    const again = await asked(one, page, 'passkey')
    const done = await one.submit(page, again.form(key.create(again.options as never)))
    expect(done.body).toMatch(/<li>\d+-[0-9A-Z-]{19}<\/li>/)
    expect(done.body).toContain('href="/account"')
    expect((await one.open('/account')).body).toContain('keyed')
    for (const late of [await one.submit(page, typed), await other.submit(theirs, typed)])
      expect(hasEnded(late)).toBe(true)
    const { json } = await admin.get(`/users/${uuidOf('keyed')}`)
    expect(json).toMatchObject({ has_password: false })
    const [record] = (await auditOf(tessera, { target: uuidOf('keyed') })).slice(-1)
    expect(record).toMatchObject({
      kind: 'password_reset.completed',
      detail: { link: 'shown', set: 'passkey' },
    })
    expect(answerOf(await byPasskey(browser(), key))).toHaveProperty('code')

    // The passkey guards the next reset; a recovery code may stand in for it, and leads to a new one.
    const next = await linkFor('keyed')
    const two = browser()
    const guarded = await two.open(next)
    expect(asksFactor(guarded)).toBe(true)
    const code = /<li>(\d+-[0-9A-Z-]{19})<\/li>/.exec(done.body)?.[1] ?? ''
    const way = await two.open(`${next}&with=recovery`)
    const proved = await two.submit(way, { with: 'recovery', recovery_code: code })
    expect(proved.body).toContain('Choose how you sign in')
    const second = new Authenticator(tessera.url)
    const made = await asked(two, proved, 'passkey')
    // Nobody had proved the account, so the first passkey ended, and the second is a first one.
    const renewed = await two.submit(proved, made.form(second.create(made.options as never)))
    expect(renewed.body).toMatch(/<li>\d+-[0-9A-Z-]{19}<\/li>/)
    expect(answerOf(await byPasskey(browser(), second))).toHaveProperty('code')
    expect((await byPasskey(browser(), key)).status).toBe(400)
  })

  it('asks for a passkey or security key before the new password', async () => {
    const link = await linkFor('plugged')
    const set = browser()
    expect(isDone(await set.submit(await set.open(link), typed))).toBe(true)
    const key = await credentialOf(tessera, personOf('plugged'), { kind: 'security_key' })
    const one = browser()
    const page = await one.open(await linkFor('plugged'))
    expect([asksFactor(page), page.body.includes('Choose how you sign in')]).toEqual([true, false])
    // Before the key nothing can be made or set.
    const { csrf = '' } = formOn(page).hidden
    const from = /data-passkeys="([^"]*)"/.exec(page.body)?.[1] ?? ''
    const early = await one.request(from, { form: { csrf, purpose: 'passkey' } })
    expect(early.status).toBe(403)
    const wrong = await asked(one, page, 'second_factor')
    const refused = await one.submit(page, wrong.form(key.get(wrong.options, { forged: true })))
    expect([refused.status, asksPassword(refused)]).toEqual([400, false])
    const { options, form } = await asked(one, page, 'second_factor')
    const proved = await one.submit(page, form(key.get(options)))
    expect([asksPassword(proved), proved.body.includes('Choose how you sign in')]).toEqual([true, false])
    // Whoever has a password is offered no passkey here.
    expect((await one.request(from, { form: { csrf, purpose: 'passkey' } })).status).toBe(403)
    expect(isDone(await one.submit(proved, typed))).toBe(true)
  })

  it('is used by one of many that come with it at the same time', async () => {
    const link = await linkFor('many')
    const visits = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const one = browser()
        const page = await one.open(link)
        const password = `${fresh} ${index}`
        return { one, page, password }
      }),
    )
    const answers = await Promise.all(
      visits.map(({ one, page, password }) => one.submit(page, { password, password_again: password })),
    )
    expect(answers.filter(isDone)).toHaveLength(1)
    expect(answers.filter(hasEnded)).toHaveLength(5)
    const [won] = visits.filter((_, index) => isDone(answers[index] as Visit))
    expect(await canSignIn('many', won?.password ?? '')).toBe(true)
  })

  it('ends after an hour, by the next one, by another password, when the person is disabled, and when they get a profile', async () => {
    const first = await linkFor('replaced')
    const second = await linkFor('replaced')
    expect(hasEnded(await browser().open(first))).toBe(true)
    const one = browser()
    const page = await one.open(second)
    tessera.clock.advance(hour)
    try {
      expect(hasEnded(await one.submit(page, typed))).toBe(true)
      expect(hasEnded(await one.open(second))).toBe(true)
    } finally {
      tessera.clock.advance(-hour)
    }
    const wrong = `${second.slice(0, -1)}${second.endsWith('A') ? 'B' : 'A'}`
    for (const link of [wrong, `${second}A`, second.split('?')[0] ?? ''])
      expect(hasEnded(await one.open(link))).toBe(true)
    expect(asksPassword(await one.open(second))).toBe(true)
    expect(
      (await own.patch(`/users/${uuidOf('replaced')}`, { password: 'a password of theirs' })).status,
    ).toBe(200)
    expect(hasEnded(await one.submit(page, typed))).toBe(true)
    expect(await canSignIn('replaced', 'a password of theirs')).toBe(true)

    const third = await linkFor('ended')
    for (const active of [false, true])
      expect((await own.patch(`/users/${uuidOf('ended')}`, { active })).status).toBe(200)
    expect(hasEnded(await browser().open(third))).toBe(true)

    // Who made it could not have made it by now.
    const fourth = await linkFor('risen')
    const risen = { user_uuid: uuidOf('risen'), organisation_uuid: acme }
    const beyond = await admin.post('/profiles', { ...risen, role_code: 'administrator' })
    expect(problemOf(beyond)).toBe('409 conflict')
    expect((await admin.post('/profiles', { ...risen, role_code: 'acme-administrator' })).status).toBe(201)
    expect(hasEnded(await browser().open(fourth))).toBe(true)
  })

  it('ends every session with its tokens, and signs in here', async () => {
    expect((await own.patch(`/users/${uuidOf('signed')}`, { password: 'an earlier password' })).status).toBe(
      200,
    )
    const person = { ...personOf('signed'), password: 'an earlier password' }
    const before = browser()
    const tokens = await tokensFor(tessera.url, person, { browser: before })
    const one = browser()
    expect(isDone(await one.submit(await one.open(await linkFor('signed')), typed))).toBe(true)
    expect((await userinfo(tessera.url, tokens.access_token ?? '')).status).toBe(401)
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token ?? ''))).toContain('invalid_grant')
    const silent = authorizeRequest({ prompt: 'none' }).path
    expect(answerOf(await before.open(silent))).toMatchObject({ error: 'login_required' })
    expect(answerOf(await one.open(silent)).code).toBeDefined()
    expect(await canSignIn('signed', person.password)).toBe(false)
  })

  onOne.it('signs out whom it finds in the browser, where that is somebody else', async () => {
    const one = browser()
    await tokensFor(tessera.url, heads.head, {
      browser: one,
      changes: { client_id: 'admin-web', scope: 'openid service.api' },
    })
    expect(isDone(await one.submit(await one.open(await linkFor('mine')), typed))).toBe(true)
    const { id_token: idToken } = await tokensFor(tessera.url, { ...personOf('mine'), password: fresh })
    expect(claimsOf(idToken).sub).toBe(uuidOf('mine'))
    const page = await one.open('/account/sign-in')
    expect(page.body).not.toContain('Acme Head')
  })

  it('lets in whom wrong passwords keep waiting', async () => {
    const wrong = { ...personOf('words'), password: 'no password of theirs' }
    const guess = async () => (await signIn(browser(), authorizeRequest().path, wrong)).status
    expect([await guess(), await guess(), await guess()]).toEqual([400, 400, 429])
    const one = browser()
    expect(isDone(await one.submit(await one.open(await linkFor('words')), typed))).toBe(true)
    expect(await canSignIn('words', fresh)).toBe(true)
  })

  onOne.it('makes an account that of who made it, as setting the password does', async () => {
    const reachOf = async (name: string) =>
      (await usersOf(tessera)).find(({ uuid }) => uuid === uuidOf(name))?.limited_reach
    const path = `/users/${uuidOf('owner')}`
    expect(await reachOf('owner')).toBe(0)
    const one = browser()
    const link = await linkFor('owner', admin)
    await one.submit(await one.open(link), { code: codeOf(tessera) })
    expect(isDone(await one.submit(await one.open(link), typed))).toBe(true)
    expect(await reachOf('owner')).toBe(0)
    expect((await admin.delete(`${path}/factors`)).status).toBe(204)
    expect(isDone(await one.submit(await one.open(await linkFor('owner', own)), typed))).toBe(true)
    expect(await reachOf('owner')).toBe(1)
  })

  it('asks for the second factor before the password, in each browser, and counts wrong ones with all others', async () => {
    const link = await linkFor('counted')
    const [one, other] = [browser(), browser()]
    const page = await one.open(link)
    expect(asksFactor(page)).toBe(true)
    expect(page.body).toContain('c•••@factors.example')
    // The form of the password does not go ahead of it.
    expect(asksFactor(await one.submit(page, { do: 'password', ...typed }))).toBe(true)
    expect(await canSignIn('counted', fresh)).toBe(false)
    expect((await one.submit(page, {})).body).toContain('Enter the code.')
    expect((await one.submit(page, { code: wrongCode(tessera) })).status).toBe(400)
    const right = codeOf(tessera)
    expect(asksPassword(await one.submit(page, { code: right }))).toBe(true)
    // The proof is that browser's, and a code counts once.
    const elsewhere = await other.open(link)
    expect(asksFactor(elsewhere)).toBe(true)
    expect((await other.submit(elsewhere, { code: right })).status).toBe(400)
    expect(asksFactor(await other.submit(elsewhere, { do: 'password', ...typed }))).toBe(true)
    const done = await one.submit(await one.open(link), typed)
    expect(isDone(done)).toBe(true)
    const request = authorizeRequest()
    const { code } = answerOf(await one.open(request.path))
    expect(code).toBeDefined()
    const [record] = await auditOf(tessera, { kind: 'password_reset.completed', target: uuidOf('counted') })
    expect(record?.detail).toMatchObject({ second_factor: 'totp' })
    // Both were proved: nothing more is asked for level 2.
    expect(
      answerOf(await one.open(authorizeRequest({ acr_values: '2', prompt: 'none' }).path)).code,
    ).toBeDefined()

    const waiting = await linkFor('locked')
    const guess = await one.open(waiting)
    for (let wrong = 0; wrong < 5; wrong++) await one.submitOnce(guess, { code: wrongCode(tessera) })
    const late = await one.submitOnce(guess, { code: codeOf(tessera) })
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '5'])
    const signingIn = browser()
    const factor = await atSecondFactor(signingIn, personOf('locked'))
    expect((await signingIn.submitOnce(factor, { code: codeOf(tessera) })).status).toBe(429)
  })

  it('takes a recovery code for the factor, and a factor that is gone for none', async () => {
    const code = 'K3QF9XWM2TRBHDN4'
    await giveBesideFactors(tessera, uuidOf('codes'), [
      hashSync(code, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
    ])
    const one = browser()
    const link = await linkFor('codes')
    const page = await one.open(`${link}&with=recovery`)
    const fields = { with: 'recovery', recovery_code: `1-${code}` }
    expect(asksPassword(await one.submit(page, fields))).toBe(true)
    expect((await browser().open(`${link}&with=recovery`)).status).toBe(200)
    expect(isDone(await one.submit(await one.open(link), typed))).toBe(true)
    const [record] = await auditOf(tessera, { kind: 'password_reset.completed', target: uuidOf('codes') })
    expect(record?.detail).toMatchObject({ second_factor: 'recovery_code' })

    const swapped = await linkFor('swapped')
    const asked = await one.open(swapped)
    const proved = await one.submit(asked, { code: codeOf(tessera) })
    expect(asksPassword(proved)).toBe(true)
    expect((await own.delete(`/users/${uuidOf('swapped')}/factors`)).status).toBe(204)
    // There is nothing to ask for any more, so the page asks for the password anew.
    expect(asksPassword(await one.submit(proved, typed))).toBe(true)
  })
})
