/** A forgotten password: a mail with a link, and one answer to whoever asks. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acme, Administrator, problemOf } from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  post,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { MailServer, trustMailServer } from '../harness/mail-server.ts'
import { auditOf, everythingKept, mailsTo } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for what is due.
shortenTimers({ 500: 50 })

const minute = 60_000
const fresh = 'seven quiet ferries at dawn'
const typed = { password: fresh, password_again: fresh }

beforeAll(trustMailServer)

onEachDatabase('a forgotten password', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  let admin: Administrator
  const server = new MailServer()
  const uuids = new Map<string, string>()
  const emailOf = (name: string) => `${name}@forgotten.example`
  const names = ['known', 'silent', 'goes', 'late', 'moved', 'often', 'crowd', 'helped'] as const

  beforeAll(async () => {
    await server.listen()
    tessera = await startTessera(dialect, {
      content: 'administered',
      settings: { TESSERA_MAIL_URL: server.url, TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>' },
    })
    tessera.clock.stop()
    admin = await Administrator.machine(tessera.url)
    for (const name of [...names, 'disabled']) {
      const made = {
        email: emailOf(name),
        name,
        locale: 'de',
        profiles: [{ role_code: 'importer', organisation_uuid: acme }],
        ...(name !== 'silent' && { password: 'a password of nine lives' }),
        active: name !== 'disabled',
      }
      const { status, json } = await admin.post('/users', made)
      expect(status).toBe(201)
      uuids.set(name, String(json.uuid))
    }
  })
  afterAll(async () => {
    await tessera.close()
    await server.close()
  })

  const browser = () => new TestBrowser(tessera.url)
  /** From the page of a sign-in. */
  async function begun(one = browser(), changes: Record<string, string> = {}) {
    const request = authorizeRequest(changes)
    const page = await one.open(request.path)
    const [, path = ''] = /href="(\/sign-in\/forgotten\?request=[^"]+)"/.exec(page.body) ?? []
    return { one, request, page, form: await one.open(path) }
  }
  async function ask(email: string, one = browser()): Promise<Visit> {
    const { form } = await begun(one)
    return await one.submitOnce(form, { email })
  }
  const linkIn = (text: string) => /http:\S+\/sign-in\/reset\?link=[\w-]{43}/.exec(text)?.[0] ?? ''
  async function mailedTo(name: string, count = 1): Promise<string> {
    await server.got(emailOf(name), count)
    return linkIn(server.to(emailOf(name)).at(-1)?.text ?? '')
  }
  const hasEnded = ({ status, body }: Visit) => status === 400 && body.includes('This link has ended')

  it('gets the same answer for every address, and a mail for those that somebody has', async () => {
    const addresses = [
      emailOf('known'),
      emailOf('silent'),
      emailOf('disabled'),
      'nobody@forgotten.example',
      'no address',
    ]
    const answers: object[] = []
    for (const email of addresses) {
      const one = browser()
      const { form } = await begun(one)
      const since = performance.now()
      const { status, headers, body } = await one.submitOnce(form, { email })
      // Longer than the work takes; a timer may be early by a millisecond.
      expect(performance.now() - since).toBeGreaterThan(290)
      const id = headers.get('x-request-id') ?? 'none'
      const told = [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name))
      const request = /request=[\w-]+/g
      answers.push({
        status,
        told,
        body: body.replaceAll(email, '').replaceAll(id, '').replaceAll(request, ''),
      })
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ status: 200, body: expect.stringContaining('Look at your mail') })
    for (const name of ['known', 'silent']) expect(await mailedTo(name)).not.toBe('')
    expect(server.to(emailOf('known'))[0]?.text).toContain('Guten Tag known')
    for (const email of addresses.slice(2)) expect(await mailsTo(tessera, email)).toEqual([])
    const records = await auditOf(tessera, { kind: 'password_reset.requested' })
    expect(records).toMatchObject(
      ['known', 'silent'].map((name) => ({
        actor: { kind: 'anonymous' },
        target: { kind: 'user', id: uuids.get(name) },
        detail: { by: 'person', link: 'mailed' },
      })),
    )
    const kept = await everythingKept(tessera)
    for (const text of [
      'nobody@forgotten.example',
      linkIn(server.to(emailOf('known'))[0]?.text ?? '').slice(-43),
    ])
      expect(kept).not.toContain(text)
  })

  onOne.it('wants an address, and its own form', async () => {
    const { one, form } = await begun(browser(), { login_hint: emailOf('known') })
    expect(form.body).toContain(`value="${emailOf('known')}"`)
    expect(form.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(form.headers.get('cache-control')).toBe('no-store')
    const missing = await one.submitOnce(form, { email: '' })
    expect([missing.status, missing.body.includes('Enter your e-mail address.')]).toEqual([400, true])
    const stolen = await browser().request(form.url, { form: { email: emailOf('known') } })
    expect(stolen.body).toContain('form_expired')
    expect(await mailsTo(tessera, emailOf('known'))).toHaveLength(1)
  })

  it('goes back into the sign-in that it began from, and proves the address', async () => {
    const { one, request, form } = await begun()
    const sent = await one.submitOnce(form, { email: emailOf('goes') })
    expect(sent.body).toContain('href="/sign-in?request=')
    const link = await mailedTo('goes')
    // The request waits as long as the link.
    tessera.clock.advance(29 * minute)
    const page = await one.open(link)
    // In the person's language, which the browser has not asked for.
    expect(page.body).toContain('g•••@forgotten.example')
    const done = await one.submit(page, typed)
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: 'http://127.0.0.1:4001/callback',
      code: answerOf(done).code ?? '',
      code_verifier: request.verifier,
    })
    expect(claimsOf(String(json.id_token))).toMatchObject({
      sub: uuids.get('goes'),
      acr: '1',
      email_verified: true,
    })
    expect(hasEnded(await one.open(link))).toBe(true)
    const [record] = await auditOf(tessera, {
      kind: 'password_reset.completed',
      target: uuids.get('goes') ?? '',
    })
    expect(record?.detail).toEqual({ link: 'mailed', address: 'verified' })
  })

  onOne.it('ends at the account in another browser, and after the half hour nowhere', async () => {
    const { one, form } = await begun()
    await one.submitOnce(form, { email: emailOf('late') })
    const first = await mailedTo('late')
    tessera.clock.advance(30 * minute)
    const over = await browser().open(first)
    expect([hasEnded(over), over.body.includes('href="/sign-in/forgotten"')]).toEqual([true, true])
    const again = browser()
    const alone = await again.open('/sign-in/forgotten')
    expect(alone.body).not.toContain('href="/sign-in?request=')
    await again.submitOnce(alone, { email: emailOf('late') })
    const second = await mailedTo('late', 2)
    const other = browser()
    const done = await other.submit(await other.open(second), typed)
    expect([done.status, new URL(done.url).pathname]).toEqual([200, '/account'])
    expect(answerOf(await other.open(authorizeRequest({ prompt: 'none' }).path)).code).toBeDefined()
    // Whoever asked has nothing of it.
    expect(answerOf(await again.open(authorizeRequest({ prompt: 'none' }).path)).error).toBe('login_required')
  })

  it('has no link for an address that is another by now', async () => {
    await ask(emailOf('moved'))
    const link = await mailedTo('moved')
    const one = browser()
    const page = await one.open(link)
    // The token from before is over by this clock.
    admin = await Administrator.machine(tessera.url)
    expect(
      (await admin.patch(`/users/${uuids.get('moved')}`, { email: 'elsewhere@forgotten.example' })).status,
    ).toBe(200)
    expect(hasEnded(await one.submit(page, typed))).toBe(true)
    expect(hasEnded(await one.open(link))).toBe(true)
    // Nor does it come back with the address.
    const back = await admin.patch(`/users/${uuids.get('moved')}`, { email: emailOf('moved') })
    expect(back.status).toBe(200)
    expect(hasEnded(await one.open(link))).toBe(true)
    expect(
      (await admin.patch(`/users/${uuids.get('moved')}`, { email: 'elsewhere@forgotten.example' })).status,
    ).toBe(200)
    const person = { email: 'elsewhere@forgotten.example', password: fresh }
    expect((await signIn(browser(), authorizeRequest().path, person)).status).toBe(400)
  })

  it('has a link of an administrator mailed to the person alone', async () => {
    admin = await Administrator.machine(tessera.url)
    const path = `/users/${uuids.get('helped') ?? ''}/recovery`
    const { status, json } = await admin.post(path, {})
    expect([status, json]).toEqual([
      201,
      { link: null, sent_to: emailOf('helped'), expires_at: expect.any(String) },
    ])
    const link = await mailedTo('helped')
    // They may do more by now: whoever asked for the link doesn't know it.
    const risen = { user_uuid: uuids.get('helped'), role_code: 'reader', organisation_uuid: acme }
    expect((await admin.post('/profiles', risen)).status).toBe(201)
    const one = browser()
    const done = await one.submit(await one.open(link), typed)
    expect([done.status, new URL(done.url).pathname]).toEqual([200, '/account'])
    expect((await admin.get(`/users/${uuids.get('helped') ?? ''}`)).json.email_verified).toBe(true)
    const disabled = `/users/${uuids.get('disabled') ?? ''}/recovery`
    expect(problemOf(await admin.post(disabled, { delivery: 'mail' }))).toBe('409 conflict')
    expect(await mailsTo(tessera, emailOf('disabled'))).toEqual([])
  })

  it('mails an account three times an hour, and one address of the network thirty times, and says nothing of it', async () => {
    tessera.clock.advance(60 * minute)
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(emailOf('often'))))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200))
    expect(await mailsTo(tessera, emailOf('often'))).toHaveLength(3)
    await Promise.all(Array.from({ length: 25 }, (_, index) => ask(`x${index}@forgotten.example`)))
    const crowded = await ask(emailOf('crowd'))
    expect([crowded.status, crowded.body.includes('Look at your mail')]).toEqual([200, true])
    expect(await mailsTo(tessera, emailOf('crowd'))).toEqual([])
    tessera.clock.advance(60 * minute)
    await ask(emailOf('crowd'))
    expect(await mailsTo(tessera, emailOf('crowd'))).toHaveLength(1)
  })
})

it('is no link where no mail is sent', async () => {
  const settings = { TESSERA_MODE: 'production', TESSERA_ISSUER: 'https://id.acme.example' }
  const tessera = await startTessera('sqlite', { settings })
  try {
    const at = async (path: string) =>
      await fetch(`${tessera.listening}${path}`, { headers: { accept: 'text/html' } })
    expect((await at('/sign-in/forgotten')).status).toBe(404)
    const ended = await at('/sign-in/reset?link=none')
    expect([ended.status, (await ended.text()).includes('/sign-in/forgotten')]).toEqual([400, false])
  } finally {
    await tessera.close()
  }
})
