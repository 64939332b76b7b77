/** Whose an account is: what its maker and a thief can leave there, and each way by which it becomes somebody else's. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  administrators,
  globex,
  heads,
  intake,
  problemOf,
} from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { edited, acme as acmeFile } from '../declared/support.ts'
import { formOn, TestBrowser, tokensFor, type Visit } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo, shownTo } from '../harness/development-mail.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import { refresh, Visitor } from '../harness/program.ts'
import { auditOf, beyondOf, countOf, forgetMakers, leftOf, plantIn } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { asked, byPasskey, credentialOf, type Owned } from '../sign-in/passkey-support.ts'

// The look for mails that are due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

const known = 'a password that they know'
const own = 'seven quiet ferries at dawn'
const typed = { password: own, password_again: own }
const importer = [{ role_code: 'importer', organisation_uuid: acme }]

onEachDatabase('an account that somebody else made', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' })
  let everything: Administrator
  let planter: Administrator
  beforeAll(async () => {
    everything = await Administrator.machine(tessera.url)
    planter = await Administrator.machine(tessera.url, 'acme-cli')
  })

  let count = 0
  async function planted({ by = planter, at = 'evil.example' } = {}) {
    const email = `x${++count}@${at}`
    const made = await by.post('/users', { email, name: 'Planted', password: known, profiles: importer })
    expect(made.status).toBe(201)
    return { email, password: known, uuid: String(made.json.uuid) }
  }
  const fresh = () => new TestBrowser(tessera.url)
  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const change = async (by: Administrator, uuid: string, body: object) => {
    const { status, text } = await by.patch(`/users/${uuid}`, body)
    if (status !== 200) throw new Error(text)
  }
  const give = async (by: Administrator, user_uuid: string, profile: object) =>
    await by.post('/profiles', { user_uuid, ...profile })
  async function signedIn(person: { email: string; password: string }): Promise<TestBrowser> {
    const one = fresh()
    const page = await one.submit(await one.open('/account'), person)
    expect(pathOf(page)).toBe('/account')
    return one
  }
  const signsIn = async (person: { email: string; password: string }) => {
    const one = fresh()
    return (await one.submit(await one.open('/account'), person)).status !== 400
  }
  const act = async (one: TestBrowser, path: string, fields: Record<string, string>) => {
    const { csrf = '' } = formOn(await one.open('/account/sign-in')).hidden
    return await one.follow(await one.request(path, { form: { csrf, ...fields } }))
  }
  async function move(one: TestBrowser, to: string): Promise<void> {
    expect((await act(one, '/account/person', { do: 'address', email: to })).status).toBe(200)
    const link = linkIn(await mailTo(tessera, to, 'Confirm your address'))
    expect((await one.submit(await one.open(link))).status).toBe(200)
  }
  const press = async (link: string): Promise<number> => {
    const one = fresh()
    const page = await one.open(link)
    return page.status === 200 ? (await one.submitOnce(page)).status : page.status
  }
  /** Each link of “this was not me” that was mailed to an address. */
  const undoLinks = async (address: string) =>
    (await shownTo(tessera, address)).filter(({ text }) => text.includes('/account/not-me?link=')).map(linkIn)
  async function forgotten(email: string): Promise<string> {
    const before = new Set((await shownTo(tessera, email)).map(({ id }) => id))
    const one = fresh()
    await one.submit(await one.open('/sign-in/forgotten'), { email })
    return await vi.waitFor(
      async () => {
        const found = (await shownTo(tessera, email)).find(
          ({ id, text }) => !before.has(id) && text.includes('/sign-in/reset?'),
        )
        if (found === undefined) throw new Error('There is no link yet.')
        return linkIn(found)
      },
      { timeout: 60_000, interval: 50 },
    )
  }
  const reset = async (link: string) => {
    const one = fresh()
    return await one.submit(await one.open(link), typed)
  }
  const addressOf = async (uuid: string) => (await everything.get(`/users/${uuid}`)).json.email
  const profilesOf = async (uuid: string) =>
    (await everything.all(`/profiles?user_uuid=${uuid}`)).map((one) => String(one.role_code)).sort()
  async function command(name: 'plan' | 'apply', ...edits: [string, string][]) {
    const file = join(temporaryFolder(), 'acme.yaml')
    writeFileSync(file, edited(acmeFile, ...administrators, ...edits))
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
    return await runHere([name, file, ...(name === 'apply' ? ['--yes'] : [])], { environment })
  }
  const inFile = (email: string): [string, string] => [
    'users:\n',
    `users:\n  - email: ${email}\n    name: New Boss\n    profiles:\n      - role: administrator\n`,
  ]
  async function invite(email: string, profile: object = { role_code: 'reader', organisation_uuid: globex }) {
    const made = await everything.post('/invitations', { email, profiles: [profile] })
    expect(made.status).toBe(201)
    return linkIn(await mailTo(tessera, email, 'nvit'))
  }

  describe('keeps nothing of its maker', () => {
    it('by undoing an own change of address, once it has another one and its person proved it', async () => {
      const x = await planted()
      await move(await signedIn(x), `${x.uuid}@evil.example`)
      const links = await vi.waitFor(async () => {
        const found = await undoLinks(x.email)
        expect(found.length).toBeGreaterThan(0)
        return found
      }, 60_000)
      const victim = { email: `victim-${x.uuid}@globex.example`, password: own }
      await change(planter, x.uuid, { email: victim.email })
      const link = await invite(victim.email)
      expect((await reset(await forgotten(victim.email))).status).toBe(200)
      const one = await signedIn(victim)
      await one.submit(await one.open(link), { profile_0: '1' })
      for (const undo of links) expect(await press(undo)).toBe(400)
      expect(await addressOf(x.uuid)).toBe(victim.email)
      expect(await profilesOf(x.uuid)).toEqual(['importer', 'reader'])
      expect(await signsIn(victim)).toBe(true)
    })

    once.it.each(['adopted', 'reset'] as const)('by a removed passkey, once it is %s', async (how) => {
      const x = await planted()
      const key = await credentialOf(tessera, x)
      const one = fresh()
      await byPasskey(one, key)
      const id = /name="id" value="([^"]+)"/.exec((await one.open('/account/sign-in')).body)?.[1] ?? ''
      expect((await act(one, '/account/sign-in', { do: 'remove', id })).status).toBe(200)
      await mailTo(tessera, x.email, 'second factor was removed')
      const links = await undoLinks(x.email)
      expect(links.length).toBeGreaterThan(0)
      const boss = `boss-${x.uuid}@acme.example`
      await change(planter, x.uuid, { email: boss })
      if (how === 'adopted') expect((await command('apply', inFile(boss))).code).toBe(0)
      else expect((await reset(await forgotten(boss))).status).toBe(200)
      for (const link of links) expect(await press(link)).toBe(400)
      expect((await byPasskey(fresh(), key)).status).toBe(400)
      expect((await leftOf(tessera, x.uuid)).factors).toBeUndefined()
    })

    once.it(
      'by a passkey, where an administrator of everything set a password before a file adopts it',
      async () => {
        const x = await planted()
        const key = await credentialOf(tessera, x)
        expect((await byPasskey(fresh(), key)).status).not.toBe(400)
        await change(everything, x.uuid, { password: own })
        expect((await byPasskey(fresh(), key)).status).toBe(400)
        const said = await command('plan', inFile(x.email))
        expect(said.stdout).toContain('keeps its password')
        expect((await command('apply', inFile(x.email))).code).toBe(0)
        expect((await byPasskey(fresh(), key)).status).toBe(400)
        expect(await signsIn({ ...x, password: own })).toBe(true)
      },
    )

    once.it('by a password and a session from before, once its person accepts an invitation', async () => {
      const x = await planted({ at: 'globex.example' })
      const before = await signedIn(x)
      const one = await signedIn(x)
      const link = await invite(x.email)
      const page = await one.open(link)
      expect(page.body).toContain('a password of your own')
      expect((await one.submit(page, { profile_0: '1' })).status).toBe(400)
      expect(await profilesOf(x.uuid)).toEqual(['importer'])
      const done = await one.submit(await one.open(link), { profile_0: '1', ...typed })
      expect([done.status, pathOf(done)]).toEqual([200, '/invitation/accepted'])
      expect(await profilesOf(x.uuid)).toEqual(['importer', 'reader'])
      expect(pathOf(await before.open('/account'))).toBe('/sign-in')
      expect(pathOf(await one.open('/account'))).toBe('/account')
      expect([await signsIn(x), await signsIn({ ...x, password: own })]).toEqual([false, true])
      // The person sets it: the account's makers are of the past.
      const again = await planted({ at: 'globex.example' })
      const declining = await signedIn(again)
      const declined = await invite(again.email)
      await declining.submit(await declining.open(declined), { choice: 'decline' })
      expect(await signsIn(again)).toBe(true)
    })
  })

  describe('gets no more than its maker could give', () => {
    const administrator = { role_code: 'administrator' }
    const atGlobex = { role_code: 'reader', organisation_uuid: globex }

    it.each(dialect === 'sqlite' ? [administrator, atGlobex] : [atGlobex])(
      'by hand, until its person proves it: %o',
      async (profile) => {
        const x = await planted({ at: 'acme.example' })
        const tokens = await new Visitor(tessera.url, x).tokens()
        for (const query of ['', '?dry_run=true']) {
          const refused = await everything.post(`/profiles${query}`, { user_uuid: x.uuid, ...profile })
          expect(problemOf(refused)).toBe('409 conflict')
          expect(refused.text).toContain('tessera user recover')
        }
        const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
        const at = 'organisation_uuid' in profile ? ['--organisation', 'globex'] : []
        const said = await runHere(
          ['profile', 'create', '--user', x.email, '--role', profile.role_code, ...at],
          { environment },
        )
        expect([said.code, said.stderr]).toEqual([1, expect.stringContaining('tessera user recover')])
        expect(await profilesOf(x.uuid)).toEqual(['importer'])
        expect((await reset(await forgotten(x.email))).status).toBe(200)
        expect((await refresh(tessera.url, tokens.refresh_token)).json.error).toBe('invalid_grant')
        expect((await give(everything, x.uuid, profile)).status).toBe(201)
        expect(await beyondOf(tessera, x.uuid)).toEqual([null, null])
      },
    )

    it('which is kept once for all accounts that it made', async () => {
      await planted()
      const before = await countOf(tessera, 'makers')
      for (const _ of [1, 2, 3]) await planted()
      expect(await countOf(tessera, 'makers')).toBe(before)
    })

    once.it('by a profile that is changed, or was given inactive', async () => {
      const x = await planted({ at: 'acme.example' })
      const [profile] = await everything.all(`/profiles?user_uuid=${x.uuid}`)
      const path = `/profiles/${String(profile?.uuid)}`
      const other = await everything.patch(path, { role_code: 'bookkeeper', active: false })
      expect(problemOf(other)).toBe('409 conflict')
      const inactive = await give(everything, x.uuid, { ...atGlobex, active: false })
      expect(problemOf(inactive)).toBe('409 conflict')
    })

    once.it('of a unit, where its maker administers that alone', async () => {
      const unitHead = await Administrator.person(tessera.url, heads.unitHead)
      const email = `unit-${++count}@acme.example`
      const at = { organisation_uuid: acme, organisation_unit_uuid: intake }
      const made = await unitHead.post('/users', {
        email,
        name: 'X',
        password: known,
        profiles: [{ role_code: 'importer', ...at }],
      })
      expect(made.status).toBe(201)
      const uuid = String(made.json.uuid)
      const wider = { role_code: 'acme-administrator', organisation_uuid: acme }
      expect(problemOf(await give(planter, uuid, wider))).toBe('409 conflict')
      expect((await give(planter, uuid, { role_code: 'acme-administrator', ...at })).status).toBe(201)
      // Another address by who administers more leaves bound what the first one knows.
      await change(planter, uuid, { email: `moved-${email}` })
      expect(problemOf(await give(planter, uuid, wider))).toBe('409 conflict')
    })

    it('where a role grows: the profile waits, and each way of asking says so', async () => {
      const role = {
        code: `growing-${dialect}`,
        name: 'Growing',
        permissions: ['submissions-tool.vista-import.read'],
      }
      expect((await everything.post('/roles', role)).status).toBe(201)
      const x = await planted({ at: 'acme.example' })
      expect((await give(planter, x.uuid, { role_code: role.code, organisation_uuid: acme })).status).toBe(
        201,
      )
      const [profile] = await everything.all(`/profiles?user_uuid=${x.uuid}&role_code=${role.code}`)
      const tokens = await tokensFor(tessera.url, x, { profile: String(profile?.uuid) })
      const grown = { permissions: [...role.permissions, 'ledger.entry.read'] }
      const { etag } = await everything.get(`/roles/${role.code}`)
      const tried = await everything.ask('PATCH', `/roles/${role.code}?dry_run=true`, {
        body: grown,
        match: etag,
      })
      expect(tried.json.waits).toEqual([expect.objectContaining({ user_uuid: x.uuid, role_code: role.code })])
      expect(await beyondOf(tessera, x.uuid)).toEqual([null, null])
      expect((await everything.patch(`/roles/${role.code}`, grown)).status).toBe(200)
      expect(await beyondOf(tessera, x.uuid)).toEqual([null, 'waits'])
      expect((await refresh(tessera.url, tokens.refresh_token)).json.error).toBe('invalid_grant')
      const query = `user_uuid=${x.uuid}&permission=ledger.entry.read&profile_uuid=${String(profile?.uuid)}`
      const { text } = await everything.get(`/access/explain?${query}`)
      expect(text).toContain('account_proved')
      expect(text).toContain('client acme-cli')
      // It counts again where the role shrinks, and once its person proves the account.
      expect((await everything.patch(`/roles/${role.code}`, { permissions: role.permissions })).status).toBe(
        200,
      )
      expect(await beyondOf(tessera, x.uuid)).toEqual([null, null])
      await everything.patch(`/roles/${role.code}`, grown)
      expect((await reset(await forgotten(x.email))).status).toBe(200)
      expect(await beyondOf(tessera, x.uuid)).toEqual([null, null])
    })

    once.it('until who could give it uses a link that was shown to them, and is its only maker', async () => {
      const unitHead = await Administrator.person(tessera.url, heads.unitHead)
      const email = `narrow-${++count}@acme.example`
      const link = await invite(email, { role_code: 'acme-administrator', organisation_uuid: acme })
      tessera.clock.advance(1000)
      const at = { organisation_uuid: acme, organisation_unit_uuid: intake }
      const made = await unitHead.post('/users', {
        ...{ email, name: 'X', password: known },
        profiles: [{ role_code: 'importer', ...at }],
      })
      const uuid = String(made.json.uuid)
      const one = await signedIn({ email, password: known })
      await one.submit(await one.open(link), { profile_0: '1' })
      expect(await beyondOf(tessera, uuid)).toEqual([null, 'waits'])
      const shown = await planter.post(`/users/${uuid}/recovery`, { delivery: 'link' })
      expect(shown.status).toBe(201)
      // Who made it may still know the password.
      expect(await beyondOf(tessera, uuid)).toEqual([null, 'waits'])
      expect((await reset(String(shown.json.link))).status).toBe(200)
      expect(await beyondOf(tessera, uuid)).toEqual([null, null])
    })

    once.it('once somebody limited sets the password of one that was proved', async () => {
      const email = `proved-${++count}@acme.example`
      const made = await everything.post('/users', { email, name: 'X', password: own, profiles: importer })
      const uuid = String(made.json.uuid)
      await change(planter, uuid, { password: known })
      expect(problemOf(await give(everything, uuid, atGlobex))).toBe('409 conflict')
      await change(everything, uuid, { password: own })
      expect((await give(everything, uuid, atGlobex)).status).toBe(201)
    })

    once.it(
      'by accepting an invitation that was sent before the account was made: what it gives waits',
      async () => {
        const email = `early-${++count}@acme.example`
        const link = await invite(email)
        tessera.clock.advance(1000)
        const made = await planter.post('/users', { email, name: 'X', password: known, profiles: importer })
        const uuid = String(made.json.uuid)
        const one = await signedIn({ email, password: known })
        const done = await one.submit(await one.open(link), { profile_0: '1' })
        expect(done.body).toContain('by a link that is mailed to you')
        expect(await beyondOf(tessera, uuid)).toEqual([null, 'waits'])
        expect(await profilesOf(uuid)).toEqual(['importer', 'reader'])
        // What was meant for this mailbox is taken along to no other.
        const away = `away-${uuid}@evil.example`
        await act(one, '/account/person', { do: 'address', email: away })
        expect(await shownTo(tessera, away)).toEqual([])
        expect((await reset(await forgotten(email))).status).toBe(200)
        expect(await beyondOf(tessera, uuid)).toEqual([null, null])
      },
    )
  })

  it('blocks no file by an address that was never proved, and a file ends a hold and says whose', async () => {
    const x = await planted()
    await move(await signedIn(x), `moved-${x.uuid}@evil.example`)
    expect((await everything.post('/users', { email: x.email, name: 'Y' })).status).toBe(201)
    const y = await planted({ by: everything, at: 'held.example' })
    await move(await signedIn(y), `moved-${y.uuid}@held.example`)
    expect(problemOf(await everything.post('/users', { email: y.email, name: 'Y' }))).toBe(
      '409 conflict email',
    )
    const stays = await everything.post(`/users/${y.uuid}/recovery`, { from_theft: true })
    expect([problemOf(stays), stays.text.includes(y.email)]).toEqual(['409 conflict', true])
    const said = await command('apply', inFile(y.email))
    expect([said.code, said.stderr]).toEqual([0, ''])
    expect(said.stdout).toContain(`${y.email}: moved-${y.uuid}@held.example gave it up`)
    for (const undo of await undoLinks(y.email)) expect(await press(undo)).toBe(400)
    expect(await addressOf(y.uuid)).toBe(`moved-${y.uuid}@held.example`)
  })

  it('whose makers nobody knows keeps what it held, and gets no more', async () => {
    const email = `before-${++count}@acme.example`
    const link = await invite(email)
    tessera.clock.advance(1000)
    const made = await planter.post('/users', { email, name: 'X', password: known, profiles: importer })
    const uuid = String(made.json.uuid)
    await forgetMakers(tessera, uuid)
    const more = { role_code: 'administrator' }
    expect(problemOf(await give(everything, uuid, more))).toBe('409 conflict')
    await change(planter, uuid, { email: `other-${email}` })
    expect(problemOf(await give(everything, uuid, more))).toBe('409 conflict')
    await change(planter, uuid, { email })
    const one = await signedIn({ email, password: known })
    await one.submit(await one.open(link), { profile_0: '1' })
    expect(await beyondOf(tessera, uuid)).toEqual(['before', 'waits'])
  })

  describe('of all from before', () => {
    interface X {
      email: string
      uuid: string
      key: Owned
    }
    const environment = () => ({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' })
    const recovery = async (by: Administrator, { uuid }: X, body: object) => {
      const made = await by.post(`/users/${uuid}/recovery`, body)
      if (made.status !== 201) throw new Error(made.text)
      return String(made.json.link)
    }
    const mailed = async (x: X, body: object) => {
      await recovery(everything, x, { delivery: 'mail', ...body })
      return linkIn(await mailTo(tessera, x.email, 'A way back'))
    }
    /** After each: what is left. A reset signs one browser in, which is known from then on. */
    const reborn = { password: 1, sessions: 1, devices: 1 }
    // For a while no code is asked for before a factor is set up.
    const byMail = { ...reborn, links: 1 }
    const ways: Record<string, { by: (x: X) => Promise<unknown>; left: Record<string, number> }> = {
      'adopted by a file': { by: (x) => command('apply', inFile(x.email)), left: {} },
      'given a password by who administers everything': {
        by: ({ uuid }) => change(everything, uuid, { password: own }),
        left: { password: 1 },
      },
      'given a password by somebody else of one organisation': {
        by: async ({ uuid }) =>
          change(await Administrator.person(tessera.url, heads.head), uuid, { password: own }),
        left: { password: 1 },
      },
      'reset by a mailed link that ends the factors': {
        by: async (x) => reset(await mailed(x, { factors: 'end' })),
        left: byMail,
      },
      'reset by a link that was shown to who administers everything': {
        by: async (x) => reset(await recovery(everything, x, { delivery: 'link', factors: 'end' })),
        left: reborn,
      },
      'reset by a link that was shown to somebody of one organisation': {
        by: async (x) => reset(await recovery(planter, x, { delivery: 'link', factors: 'end' })),
        left: reborn,
      },
      'freed from a theft': {
        by: async ({ email }) =>
          expect(
            (
              await runHere(['user', 'recover', email, '--from-theft', '--show-link'], {
                environment: environment(),
              })
            ).code,
          ).toBe(0),
        left: { links: 1 },
      },
      'reset by a mailed link with the factor': {
        by: async (x) => {
          const one = fresh()
          const page = await one.open(await forgotten(x.email))
          const { options, form } = await asked(one, page, 'second_factor')
          await one.submit(await one.submit(page, form(x.key.get(options, {}))), typed)
        },
        left: { ...byMail, factors: 1 },
      },
    }

    // Each ends the same by the same verbs: on PostgreSQL the file, the mailed link and the command.
    const onBoth = ['adopted by a file', 'reset by a mailed link with the factor', 'freed from a theft']
    for (const [name, { by, left }] of Object.entries(ways))
      (onBoth.includes(name) ? it : once.it)(
        `keeps nothing that it should not, once it is ${name}`,
        async () => {
          const made = await planted({ at: 'acme.example' })
          const x = { ...made, key: await credentialOf(tessera, made) }
          const browser = fresh()
          await byPasskey(browser, x.key)
          await plantIn(tessera, x.uuid, tessera.clock.now())
          expect(Object.keys(await leftOf(tessera, x.uuid))).toHaveLength(11)
          const links = await undoLinks(x.email)
          await by(x)
          expect(await leftOf(tessera, x.uuid)).toEqual(left)
          expect(pathOf(await browser.open('/account'))).toBe('/sign-in')
          for (const link of links) expect(await press(link)).toBe(400)
        },
      )

    it('keeps what its own person set up, but nothing to take back, once its address is set by others', async () => {
      const x = await planted({ at: 'acme.example' })
      await plantIn(tessera, x.uuid, tessera.clock.now())
      await change(planter, x.uuid, { email: `other-${x.email}` })
      const left = await leftOf(tessera, x.uuid)
      expect([left.held_addresses, left.removed_factors, left.links]).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      expect(left).toMatchObject({ password: 1, trusted_devices: 1, consents: 1 })
    })
  })

  once.it(
    'gets back no factor that an administrator removed, and the page of the notice says so',
    async () => {
      const x = await planted()
      const key = await credentialOf(tessera, x)
      expect((await everything.delete(`/users/${x.uuid}/factors`)).status).toBe(204)
      const link = linkIn(await mailTo(tessera, x.email, 'second factor was removed'))
      const page = await fresh().open(link)
      expect(page.body).toContain('What has been set since by an administrator')
      expect(page.body).not.toContain('comes back')
      expect(await press(link)).toBe(200)
      expect((await byPasskey(fresh(), key)).status).toBe(400)
      expect((await leftOf(tessera, x.uuid)).factors).toBeUndefined()
      expect(await signsIn(x)).toBe(false)
    },
  )

  once.it('is asked for no factor that its person can not show, where an administrator says so', async () => {
    const x = await planted()
    const key = await credentialOf(tessera, x)
    expect((await fresh().open(await forgotten(x.email))).body).not.toContain('name="password_again"')
    expect(problemOf(await planter.post(`/users/${x.uuid}/recovery`, { factors: 'all' }))).toBe(
      '400 invalid_request factors',
    )
    expect((await planter.post(`/users/${x.uuid}/recovery`, { factors: 'end' })).status).toBe(201)
    const link = linkIn(await mailTo(tessera, x.email, 'A way back'))
    expect((await reset(link)).status).toBe(200)
    expect((await byPasskey(fresh(), key)).status).toBe(400)
    const records = await auditOf(tessera, { user: x.uuid })
    expect(records.find(({ kind }) => kind === 'password_reset.completed')?.detail).toMatchObject({
      factors: 'ended',
    })
  })
})
