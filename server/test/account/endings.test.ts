import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  post,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import {
  auditOf,
  changeClient,
  logoutNotices,
  setPolicy,
  suspendFactors,
  trustedBy,
} from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

/** `here` is where it is done; `trusted` rests on the trust that a second factor gave `elsewhere`. */
const where = ['here', 'elsewhere', 'trusted'] as const
type Where = (typeof where)[number]

onEachDatabase('what ends what', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(async () => {
    tessera.clock.stop()
    await importEnrolled(tessera, Object.keys(rows))
    await setPolicy(tessera, {}, { trusted_device_days: 30 })
  })

  interface SignedIn {
    browser: TestBrowser
    refreshToken: string
    sub: string
  }
  type Person = Record<Where, SignedIn> & { name: string }

  async function signIn(browser: TestBrowser, name: string, fields = {}): Promise<SignedIn> {
    tessera.clock.advance(30_000)
    const { path, verifier, parameters } = authorizeRequest()
    let visit = await browser.submit(await browser.open(path), personOf(name))
    if (visit.status === 200) visit = await browser.submit(visit, { code: codeOf(tessera), ...fields })
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: parameters.redirect_uri ?? '',
      code: answerOf(visit).code ?? '',
      code_verifier: verifier,
    })
    const { sub } = claimsOf(String(json.access_token))
    return { browser, refreshToken: String(json.refresh_token), sub: String(sub) }
  }

  async function personIn(name: string): Promise<Person> {
    const elsewhere = await signIn(new TestBrowser(tessera.url), name, { trust: '1' })
    const trusting = new TestBrowser(tessera.url)
    trusting.cookies.set('tessera-trusted', elsewhere.browser.cookies.get('tessera-trusted') ?? '')
    const trusted = await signIn(trusting, name)
    return { name, elsewhere, trusted, here: await signIn(new TestBrowser(tessera.url), name) }
  }

  async function act(
    { browser }: SignedIn,
    page: string | Visit,
    fields: Record<string, string>,
  ): Promise<Visit> {
    const shown = typeof page === 'string' ? await browser.open(page) : page
    const { csrf = '' } = formOn(shown).hidden
    const done = await browser.follow(await browser.request(shown.url, { form: { csrf, ...fields } }))
    expect(done.status).toBe(200)
    return done
  }

  const path = '/account/sign-in'
  const idOn = (page: Visit) => /name="id" value="([^"]+)"/.exec(page.body)?.[1] ?? ''

  async function addApp({ here }: Person, more = {}): Promise<void> {
    const page = await act(here, path, { do: 'add' })
    const secret = /<p class="key">([A-Z2-7 ]+)<\/p>/.exec(page.body)?.[1]?.replaceAll(' ', '') ?? ''
    await act(here, page, { do: 'confirm', name: 'Another', code: codeOf(tessera, 0, secret), ...more })
  }

  async function changePassword({ here, name }: Person): Promise<void> {
    const next = 'seven red bicycles in rain'
    const form = await act(here, path, { do: 'password' })
    const fields = { new_password: next, new_password_again: next, current_password: personOf(name).password }
    await act(here, form, { do: 'set_password', ...fields })
  }

  async function repudiate({ here, name }: Person): Promise<void> {
    await act(here, path, { do: 'codes' })
    const link = linkIn(await mailTo(tessera, personOf(name).email, 'You have new recovery codes'))
    const anybody = new TestBrowser(tessera.url)
    expect((await anybody.submit(await anybody.open(link))).status).toBe(200)
    const again = new TestBrowser(tessera.url)
    expect((await again.submit(await again.open('/account'), personOf(name))).status).toBe(400)
  }

  const forget = async ({ here }: Person): Promise<unknown> => {
    const page = await here.browser.open('/account/sessions')
    return await act(here, page, { do: 'forget', id: idOn(page) })
  }

  interface Row {
    act: (person: Person) => Promise<unknown>
    /** Where sessions go on, and where token families do. */
    sessions: readonly Where[]
    families: readonly Where[]
    /** Whether the browser elsewhere is trusted yet. */
    trust: boolean
  }

  /** The table of docs/account.md. */
  const rows: Record<string, Row> = {
    'password-changed': { act: changePassword, sessions: ['here'], families: ['here'], trust: false },
    'factor-removed': {
      act: async ({ here }) => act(here, path, { do: 'remove', id: idOn(await here.browser.open(path)) }),
      sessions: ['here'],
      families: ['here'],
      trust: false,
    },
    'factor-suspended': {
      act: ({ here }) => suspendFactors(tessera, here.sub),
      sessions: [],
      families: [],
      trust: false,
    },
    'factor-added': { act: addApp, sessions: where, families: where, trust: true },
    'factor-added-ticked': {
      act: (person) => addApp(person, { elsewhere: '1' }),
      sessions: ['here'],
      families: ['here'],
      trust: true,
    },
    'others-ended': {
      act: ({ here }) => act(here, '/account/sessions', { do: 'others' }),
      sessions: ['here'],
      families: ['here'],
      trust: true,
    },
    'trust-ended': {
      act: forget,
      sessions: ['here', 'elsewhere'],
      families: ['here', 'elsewhere'],
      trust: false,
    },
    'application-ended': {
      act: ({ here }) => act(here, '/account/applications', { do: 'withdraw', client_id: 'submissions-web' }),
      sessions: where,
      families: [],
      trust: true,
    },
    'not-me': { act: repudiate, sessions: [], families: [], trust: false },
  }

  const isSignedIn = async ({ browser }: SignedIn) =>
    new URL((await browser.open('/account/sessions')).url).pathname !== '/sign-in'

  async function refreshes({ refreshToken }: SignedIn): Promise<boolean> {
    const form = { grant_type: 'refresh_token', client_id: 'submissions-web', refresh_token: refreshToken }
    return (await post(`${tessera.url}/oauth2/token`, form)).status === 200
  }

  async function among(person: Person, goesOn: (one: SignedIn) => Promise<boolean>): Promise<Where[]> {
    const left: Where[] = []
    for (const one of where) if (await goesOn(person[one])) left.push(one)
    return left
  }

  for (const [name, row] of Object.entries(rows)) {
    it(name.replaceAll('-', ' '), async () => {
      const person = await personIn(name)
      await row.act(person)
      expect({
        sessions: await among(person, isSignedIn),
        families: await among(person, refreshes),
        trust: (await trustedBy(tessera, person.here.sub)).length > 0,
      }).toEqual({ sessions: row.sessions, families: row.families, trust: row.trust })
    })
  }

  it('an application that asked nobody loses its access by its own person alone, and is told', async () => {
    await changeClient(tessera, 'submissions-web', { backchannel_logout_uri: 'https://rp.invalid/logout' })
    const browser = new TestBrowser(tessera.url)
    const tokens = await tokensFor(tessera.url, people.importer, { browser })
    const one = { browser, refreshToken: tokens.refresh_token ?? '', sub: '' }
    const page = await browser.open('/account/applications')
    expect(page.body).toContain('Applications that need not ask you')
    const withdraw = { do: 'withdraw', client_id: 'submissions-web' }
    const other = new TestBrowser(tessera.url)
    await other.submit(await other.open('/account'), people.nobody)
    const { csrf = '' } = formOn(await other.open('/account/sign-in')).hidden
    expect((await other.request('/account/applications', { form: { csrf, ...withdraw } })).status).toBe(303)
    expect((await browser.open('/account/applications')).body).toContain('name="client_id"')
    expect(await logoutNotices(tessera)).toEqual([])
    await act(one, page, withdraw)
    expect((await browser.open('/account/applications')).body).not.toContain('name="client_id"')
    expect(await refreshes(one)).toBe(false)
    const { sid } = claimsOf(tokens.access_token)
    expect(await logoutNotices(tessera)).toMatchObject([{ sid }])
    const revoked = await auditOf(tessera, { kind: 'token_family.revoked' })
    const detail = { reason: 'account' }
    expect(revoked.at(-1)).toMatchObject({ actor: { kind: 'user' }, client_id: 'submissions-web', detail })
  })
})
