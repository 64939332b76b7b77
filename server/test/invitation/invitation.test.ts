/** The page that the link of an invitation leads to: who gets what by it, and who does not. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { acme, Administrator, administeredOn, globex, heads, intake } from '../administration/support.ts'
import { answerOf, formOn, TestBrowser, type Visit } from '../harness/browser.ts'
import { runHere } from '../cli/command-support.ts'
import { Authenticator } from '../harness/authenticator.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { shortenTimers } from '../harness/timers.ts'
import { asked, byPasskey } from '../sign-in/passkey-support.ts'
import { auditOf, countOf, everythingIn, everythingKept, setPolicy } from '../harness/states.ts'

// The look for mails that are due.
shortenTimers({ 500: 50 })

const day = 24 * 3_600_000
const password = 'correct horse battery ines'
const joining = { name: 'Ines Moreau', password, password_again: password }
const importer = { role_code: 'importer', organisation_uuid: acme }

/** The link of the mail to this address that is the so manieth; in development mails are kept. */
async function mailedTo({ url }: { url: string }, address: string, count = 1): Promise<string> {
  return await vi.waitFor(
    async () => {
      const { mails } = (await (await fetch(`${url}/development/mail`)).json()) as {
        mails: { to: { address: string }; text: string }[]
      }
      const own = mails.filter((one) => one.to.address === address)
      expect(own).toHaveLength(count)
      return /https?:\/\/\S+\/invitation\?link=[\w-]{43}/.exec(own[0]?.text ?? '')?.[0] ?? ''
    },
    { timeout: 60_000, interval: 25 },
  )
}

onEachDatabase('an invitation', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let head: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
  })

  let count = 0
  const someone = () => `invited-${++count}@acme.example`
  const invite = async (by: Administrator, body: object = {}, mails = 1) => {
    const made = await by.post('/invitations', { email: someone(), profiles: [importer], ...body })
    if (made.status !== 201) throw new Error(made.text)
    const email = String(made.json.email)
    return { uuid: String(made.json.uuid), email, link: await mailedTo(tessera, email, mails) }
  }
  const browserAt = async (link: string, browser = new TestBrowser(tessera.url)) => {
    const page = await browser.open(link)
    return {
      browser,
      page,
      send: async (fields: Record<string, string>) => await browser.submit(page, fields),
    }
  }
  const outcomeOf = ({ status, body }: Visit) =>
    `${status} ${/<code>(\w+)<\/code>/.exec(body)?.[1] ?? ''}`.trim()
  const ended = '400 invitation_ended'
  const userOf = async (email: string) => (await admin.all(`/users?q=${encodeURIComponent(email)}`))[0]
  const profilesOf = async (email: string) =>
    (await admin.all(`/profiles?user_uuid=${String((await userOf(email))?.uuid)}`)).map(
      (one) =>
        `${String(one.role_code)} ${String(one.organisation_uuid)} ${String(one.organisation_unit_uuid)}`,
    )
  const stateOf = async (uuid: string) => (await admin.get(`/invitations/${uuid}`)).json.state
  /** Somebody who has an account that no file manages. */
  const somebody = async (profiles: object[] = []) => {
    const person = { email: someone(), password }
    const made = await admin.post('/users', { ...person, name: 'Somebody', profiles })
    expect(made.status).toBe(201)
    return person
  }
  const signedIn = async (link: string, person: { email: string; password: string }) => {
    const { browser, page } = await browserAt(link)
    const asked = await browser.submit(page)
    return { browser, page: await browser.submit(asked, person) }
  }

  describe('to somebody new', () => {
    it('makes the account that it names, once, and signs them in', async () => {
      const { uuid, email, link } = await invite(head, { name: 'Ines', locale: 'en' })
      const { browser, page, send } = await browserAt(link)
      expect(page.status).toBe(200)
      expect(page.body).toContain('<h1>Create your account</h1>')
      expect(page.body).toContain(`value="${email}"`)
      expect(page.body).toContain('What you get')
      for (const [name, value] of [
        ['content-security-policy', "frame-ancestors 'none'"],
        ['content-security-policy', "form-action 'self'"],
        ['referrer-policy', 'no-referrer'],
        ['cache-control', 'no-store'],
      ] as const)
        expect(page.headers.get(name)).toContain(value)
      const done = await send({ ...joining, email: 'another@acme.example' })
      expect(done.url).toContain('/invitation/accepted')
      expect(done.body).toContain('Ines Moreau')
      expect(await stateOf(uuid)).toBe('accepted')
      // It came by mail alone.
      expect(await userOf(email)).toMatchObject({
        name: 'Ines Moreau',
        email_verified: true,
        has_password: true,
      })
      expect(await profilesOf(email)).toEqual([`importer ${acme} null`])
      expect([...browser.cookies.keys()].sort()).toEqual([
        'tessera-browser',
        'tessera-device',
        'tessera-session',
      ])
      const records = (await auditOf(tessera, {})).slice(-4)
      expect(records.map(({ kind, actor }) => `${kind} ${actor.kind}`)).toEqual([
        'invitation.accepted anonymous',
        'user.created anonymous',
        'profile.created anonymous',
        'sign_in.succeeded user',
      ])
      expect(records[0]).toMatchObject({ organisation_uuid: acme, target: { kind: 'invitation', id: uuid } })
      expect(outcomeOf(await browser.open(link))).toBe(ended)
      expect(outcomeOf(await send(joining))).toBe(ended)
      expect(await everythingKept(tessera)).not.toContain(new URL(link).searchParams.get('link'))
    })

    onOne.it('changes nothing when it is opened, by GET or HEAD, and works afterwards', async () => {
      const { email, link } = await invite(head)
      const before = await everythingIn(tessera)
      for (const method of ['GET', 'HEAD', 'GET', 'HEAD'])
        expect((await new TestBrowser(tessera.url).request(link, { method })).status).toBe(200)
      expect(await everythingIn(tessera)).toEqual(before)
      await (await browserAt(link)).send(joining)
      expect(await profilesOf(email)).toHaveLength(1)
    })

    it('takes a passkey in the place of a password', async () => {
      const { uuid, email, link } = await invite(head, { name: 'Ines' })
      const { browser, page, send } = await browserAt(link)
      const key = new Authenticator(tessera.url)
      const other = await browserAt(link)
      const create = async (deviations = {}) => {
        const { options, form } = await asked(browser, page, 'passkey')
        return form(key.create(options as never, deviations))
      }
      const from = /data-passkeys="([^"]*)"/.exec(page.body)?.[1] ?? ''
      const { csrf = '' } = formOn(page).hidden
      for (const [path, form] of [
        [from, { csrf: 'x', purpose: 'passkey' }],
        [from.replace(/link=.*/, `link=${'x'.repeat(43)}`), { csrf, purpose: 'passkey' }],
      ] as const)
        expect((await browser.request(path, { form })).status).toBeGreaterThanOrEqual(400)
      const before = await countOf(tessera, 'users')
      // Of another browser, of nobody who was verified, and with a wrong name.
      for (const [answer, words] of [
        [await other.send({ name: 'Ines', ...(await create()) }), 'was not accepted'],
        [await send({ name: 'Ines', ...(await create({ userVerified: false })) }), 'was not accepted'],
        [await send({ ...(await create()), name: ' ' }), 'Enter your name'],
      ] as const)
        expect([answer.status, answer.body.includes(words)]).toEqual([400, true])
      expect(await countOf(tessera, 'users')).toBe(before)
      const done = await send({ name: 'Ines Moreau', ...(await create()) })
      expect(done.body).toMatch(/<li>\d+-[0-9A-Z-]{19}<\/li>/)
      expect(done.body).toContain('href="/invitation/accepted"')
      expect((await browser.open('/account')).body).toContain('Ines Moreau')
      expect(await stateOf(uuid)).toBe('accepted')
      expect(await userOf(email)).toMatchObject({ email_verified: true, has_password: false })
      expect(await profilesOf(email)).toEqual([`importer ${acme} null`])
      expect(outcomeOf(await other.send(joining))).toBe(ended)
      expect(answerOf(await byPasskey(new TestBrowser(tessera.url), key))).toHaveProperty('code')
      // No passkey of somebody else is taken.
      const next = await browserAt((await invite(head)).link)
      const asking = await asked(next.browser, next.page, 'passkey')
      const taken = await next.send({ name: 'Eve', ...asking.form(key.create(asking.options as never)) })
      expect([taken.status, taken.body.includes('Create your account')]).toEqual([200, true])
      expect(await countOf(tessera, 'users')).toBe(before + 1)
    })

    it('is used by one of many that come with it at once', async () => {
      const { email, link } = await invite(head)
      const before = await countOf(tessera, 'users')
      const pages = await Promise.all(Array.from({ length: 6 }, () => browserAt(link)))
      const answers = await Promise.all(pages.map(({ send }) => send(joining)))
      expect(answers.filter(({ url }) => url.includes('/accepted'))).toHaveLength(1)
      expect(answers.map(outcomeOf).toSorted()).toEqual(['200', ...Array<string>(5).fill(ended)])
      expect(await countOf(tessera, 'users')).toBe(before + 1)
      expect(await profilesOf(email)).toHaveLength(1)
    })

    onOne.it('says what is wrong with what is typed, and stays as it was', async () => {
      const { link } = await invite(head)
      const { browser, page } = await browserAt(link)
      await setPolicy(tessera, { organisation: 'acme' }, { password_length: 40 })
      expect((await browser.submit(page, joining)).body).toContain('at least 40')
      await setPolicy(tessera, { organisation: 'acme' }, null)
      const before = await everythingIn(tessera)
      for (const [wrong, words] of [
        [{ name: ' ' }, 'Enter your name'],
        [{ name: 'x'.repeat(201) }, 'at most 200'],
        [{ password: '' }, 'Enter a password'],
        [{ password: 'short', password_again: 'short' }, 'at least'],
        [{ password: 'password1', password_again: 'password1' }, 'guessed first'],
        [{ name: 'Rosalinde', password: 'Rosalinde1987', password_again: 'Rosalinde1987' }, 'guessed first'],
        [{ password_again: 'another one' }, 'not the same'],
      ] as const) {
        const answer = await browser.submit(page, { ...joining, ...wrong })
        expect([answer.status, answer.body.includes(words)]).toEqual([400, true])
        expect(answer.body).not.toContain(password)
      }
      expect(await everythingIn(tessera)).toEqual(before)
    })

    onOne.it(
      'takes no form of another browser or without its token, and none by a link that does not count',
      async () => {
        const { link } = await invite(head)
        const { page } = await browserAt(link)
        const { action, hidden } = formOn(page)
        const form = { ...hidden, ...joining }
        const other = new TestBrowser(tessera.url)
        await other.open(link)
        expect(outcomeOf(await other.request(action, { form }))).toBe('403 form_expired')
        expect(outcomeOf(await new TestBrowser(tessera.url).request(action, { form }))).toBe(
          '403 form_expired',
        )
        expect(outcomeOf(await other.request(action, { form: { ...form, link: 'x'.repeat(43) } }))).toBe(
          ended,
        )
        for (const path of ['/invitation', '/invitation?link=', `/invitation?link=${'x'.repeat(43)}`])
          expect(outcomeOf(await other.open(path))).toBe(ended)
      },
    )

    it('does not count once it was replaced, withdrawn or has expired', async () => {
      const replaced = await invite(head)
      const [early, withdrawn] = [await browserAt(replaced.link), await invite(head)]
      expect((await head.post(`/invitations/${replaced.uuid}/resend`, {})).status).toBe(201)
      const again = await mailedTo(tessera, replaced.email, 2)
      expect(outcomeOf(await early.send(joining))).toBe(ended)
      const late = await browserAt(withdrawn.link)
      expect((await head.delete(`/invitations/${withdrawn.uuid}`)).status).toBe(204)
      expect(outcomeOf(await late.send(joining))).toBe(ended)
      const open = await browserAt(again)
      tessera.clock.advance(7 * day)
      try {
        const before = await countOf(tessera, 'users')
        expect((await open.send(joining)).body).toContain('This invitation has expired')
        expect((await open.browser.open(again)).status).toBe(400)
        expect(await countOf(tessera, 'users')).toBe(before)
      } finally {
        tessera.clock.advance(-7 * day)
      }
    })

    it('is asked for again for thirty days after its end, and mailed to its address alone', async () => {
      const [{ email, link }, other] = [await invite(head), await invite(head)]
      tessera.clock.advance(36 * day)
      let moved = 36
      try {
        const { browser, page } = await browserAt(link)
        const answers = await Promise.all([browser.submit(page), browser.submit(page)])
        expect(answers.map(outcomeOf).toSorted()).toEqual(['200', expect.stringMatching(/^400/)])
        expect(answers.find(({ status }) => status === 200)?.body).toContain('Look into your mailbox')
        const another = await mailedTo(tessera, email, 2)
        expect(another).not.toBe(link)
        expect(outcomeOf(await browser.open(link))).toBe(ended)
        expect((await (await browserAt(another)).send(joining)).url).toContain('/accepted')
        tessera.clock.advance(2 * day)
        moved += 2
        expect(outcomeOf(await browser.open(other.link))).toBe(ended)
      } finally {
        tessera.clock.advance(-moved * day)
      }
    })

    onOne.it(
      'is handed out by the command where no mail server is set, which proves nothing of the address',
      async () => {
        const email = someone()
        const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
        const made = await runHere(['invitation', 'create', email, '--profile', 'importer@acme'], {
          environment,
        })
        const link = /https?:\/\/\S+\/invitation\?link=[\w-]{43}/.exec(made.stdout)?.[0] ?? ''
        expect(made.stderr).toContain('The link is shown this once')
        expect((await (await browserAt(link)).send(joining)).url).toContain('/accepted')
        expect(await userOf(email)).toMatchObject({ email_verified: false })
      },
    )
  })

  describe('counts only while who invited may still give it', () => {
    const headUser = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0005'
    const headProfile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0501'
    const setting = (path: string, before: object, after: object) => ({
      doing: () => admin.patch(path, after),
      undoing: () => admin.patch(path, before),
    })
    const ends = [
      ['they were disabled', setting(`/users/${headUser}`, { active: true }, { active: false })],
      [
        'their profile was disabled',
        setting(`/profiles/${headProfile}`, { active: true }, { active: false }),
      ],
      [
        'their profile ran out',
        setting(`/profiles/${headProfile}`, { expires_at: null }, { expires_at: '2020-01-01T00:00:00Z' }),
      ],
      ['the client was disabled', setting('/clients/admin-web', { active: true }, { active: false })],
      [
        'the client may do less',
        setting('/clients/admin-web', { permissions: null }, { permissions: ['iam.users.read'] }),
      ],
      [
        'the client lost the administration',
        setting('/clients/admin-web', { services: ['iam'] }, { services: [] }),
      ],
      [
        'the role gives more by now',
        setting(
          '/roles/importer',
          { permissions: ['submissions-tool.vista-import.create', 'submissions-tool.vista-import.read'] },
          { permissions: ['ledger.entry.read'] },
        ),
      ],
    ] as const
    it.each(dialect === 'sqlite' ? ends : ends.slice(0, 3))('%s', async (_, { doing, undoing }) => {
      const by = await Administrator.person(tessera.url, heads.head)
      const { email, link } = await invite(by)
      const { browser, page, send } = await browserAt(link)
      expect((await doing()).status).toBe(200)
      const refused = await send(joining)
      expect((await undoing()).status).toBe(200)
      expect(outcomeOf(refused)).toBe(ended)
      expect(await userOf(email)).toBeUndefined()
      // What is refused leaves the link as it was.
      expect((await browser.submit(page, joining)).url).toContain('/accepted')
    })

    it('or somebody who may sends it again', async () => {
      const inviter = { email: someone(), password }
      const role = { code: 'short-lived', name: 'Short', permissions: ['iam.*'] }
      expect((await admin.post('/roles', role)).status).toBe(201)
      const made = await admin.post('/users', {
        ...inviter,
        name: 'Inviter',
        profiles: [{ role_code: role.code }],
      })
      const by = await Administrator.person(tessera.url, inviter)
      const { uuid, email, link } = await invite(by)
      expect((await admin.delete(`/users/${String(made.json.uuid)}`)).status).toBe(204)
      expect(outcomeOf(await (await browserAt(link)).send(joining))).toBe(ended)
      // What ended in between are the sessions of before.
      const another = await Administrator.person(tessera.url, heads.head)
      expect((await another.post(`/invitations/${uuid}/resend`, {})).status).toBe(201)
      expect((await (await browserAt(await mailedTo(tessera, email, 2))).send(joining)).url).toContain(
        '/accepted',
      )
    })

    it('which a machine may that holds it', async () => {
      expect((await (await browserAt((await invite(admin)).link)).send(joining)).url).toContain('/accepted')
    })
  })

  describe('to somebody who has an account', () => {
    const abroad = { role_code: 'importer', organisation_uuid: globex }
    const atIntake = { ...importer, organisation_unit_uuid: intake }

    it('asks them to sign in, and gives the profiles that they accept', async () => {
      const person = await somebody()
      const { uuid, link } = await invite(admin, {
        email: person.email,
        profiles: [importer, abroad, atIntake],
      })
      const { page: known } = await browserAt(link)
      expect(known.body).toContain(`${person.email.slice(0, 1)}•••@acme.example`)
      expect(known.body).not.toContain(person.email)
      const { browser, page } = await signedIn(link, person)
      expect(page.body).toContain('What you accept')
      expect(await profilesOf(person.email)).toEqual([])
      const { hidden, action } = formOn(page)
      const done = await browser.follow(
        await browser.request(action, { form: { ...hidden, profile_0: '1', profile_2: '1' } }),
      )
      expect(done.url).toContain('/accepted')
      expect((await profilesOf(person.email)).toSorted()).toEqual(
        [`importer ${acme} ${intake}`, `importer ${acme} null`].toSorted(),
      )
      expect(await stateOf(uuid)).toBe('accepted')
      expect(outcomeOf(await browser.open(link))).toBe(ended)
    })

    it('gives nothing when they decline, and nothing twice', async () => {
      const person = await somebody([importer])
      const declined = await invite(admin, { email: person.email, profiles: [abroad] })
      const { browser, page } = await signedIn(declined.link, person)
      await browser.submit(page, { choice: 'decline', profile_0: '1' })
      expect([await stateOf(declined.uuid), await profilesOf(person.email)]).toEqual([
        'withdrawn',
        [`importer ${acme} null`],
      ])
      const same = await invite(admin, { email: person.email }, 2)
      await browser.submit(await browser.open(same.link), { profile_0: '1' })
      expect([await stateOf(same.uuid), await profilesOf(person.email)]).toEqual([
        'accepted',
        [`importer ${acme} null`],
      ])
    })

    onOne.it('gives nothing to somebody else, who is told whom it is for and may sign out', async () => {
      const [person, other] = [await somebody(), await somebody()]
      const { uuid, link } = await invite(admin, { email: person.email })
      const { browser, page } = await signedIn(link, other)
      expect(page.body).toContain('This invitation is for somebody else')
      expect(page.body).not.toContain(person.email)
      const { hidden, action } = formOn(page)
      for (const wanted of ['accept', 'join', 'sign_in']) {
        const sent = { ...hidden, ...joining, do: wanted, profile_0: '1' }
        const answer = await browser.follow(await browser.request(action, { form: sent }))
        expect(answer.body).toContain('This invitation is for somebody else')
      }
      expect([await stateOf(uuid), await profilesOf(other.email), await profilesOf(person.email)]).toEqual([
        'pending',
        [],
        [],
      ])
      const again = await browser.submit(page)
      expect(again.body).toContain('There is an account for')
      expect(browser.cookies.has('tessera-session')).toBe(false)
    })

    it('is never made a second account, when they got one meanwhile', async () => {
      const { email, link } = await invite(admin)
      const { browser, page } = await browserAt(link)
      expect((await admin.post('/users', { email, name: 'Meanwhile', password })).status).toBe(201)
      const answer = await browser.submit(page, joining)
      expect(answer.body).toContain('There is an account for')
      expect(await userOf(email)).toMatchObject({ name: 'Meanwhile' })
      expect(await profilesOf(email)).toEqual([])
    })

    onOne.it('ends too when who invited may not give it any more', async () => {
      const person = await somebody()
      const { link } = await invite(await Administrator.person(tessera.url, heads.head), {
        email: person.email,
      })
      const { browser, page } = await signedIn(link, person)
      expect((await admin.patch('/clients/admin-web', { active: false })).status).toBe(200)
      const refused = await browser.submit(page, { profile_0: '1' })
      expect((await admin.patch('/clients/admin-web', { active: true })).status).toBe(200)
      expect(outcomeOf(refused)).toBe(ended)
      expect(await profilesOf(person.email)).toEqual([])
    })

    onOne.it('does not change what a declared file manages', async () => {
      const person = { email: 'importer@acme.example', password: 'correct horse battery one' }
      const { link } = await invite(admin, { email: person.email, profiles: [abroad] })
      const { browser, page } = await signedIn(link, person)
      expect(outcomeOf(await browser.submit(page, { profile_0: '1' }))).toBe('409 managed_by_file')
    })
  })
})
