import { beforeEach, expect, it } from 'vitest'
import { together } from '../../dist/database/steps.js'
import type { Method } from '../../dist/protocol/authentication.js'
import { addProof } from '../../dist/store/add-proof.js'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  profilesOfBoth,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { changeUser, setPolicy } from '../harness/states.ts'

const day = 24 * 3_600_000

onEachDatabase('the level of a sign-in', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser

  beforeEach(async () => {
    browser = new TestBrowser(tessera.url)
    for (const at of [{ role: 'importer' }, { role: 'bookkeeper' }, { client: 'submissions-web' }, {}])
      await setPolicy(tessera, at, null)
    for (const { email } of [people.importer, people.both])
      await changeUser(tessera, email, { grace_began_at: null, enrolment_required: 0 })
  })

  const pathOf = (visit: Visit) => new URL(visit.url).pathname
  const ask = (changes: Record<string, string> = {}) => browser.open(authorizeRequest(changes).path)

  /** Signs in and yields the code with what it is exchanged by. */
  async function codeOf(
    changes: Record<string, string> = {},
    person: { email: string; password: string } = people.importer,
  ) {
    const request = authorizeRequest(changes)
    const visit = await signIn(browser, request.path, person, changes.profile_uuid)
    return { code: answerOf(visit).code ?? '', verifier: request.verifier }
  }

  /** A code of whoever is signed in. */
  async function codeOfSession() {
    const { path, verifier } = authorizeRequest({ prompt: 'none' })
    return { code: answerOf(await browser.open(path)).code ?? '', verifier }
  }

  const exchange = ({ code, verifier }: { code: string; verifier: string }) =>
    post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: authorizeRequest().parameters.redirect_uri ?? '',
      code,
      code_verifier: verifier,
    })

  const refresh = (token: unknown, more: Record<string, string> = {}) =>
    post(`${tessera.url}/v1/iam/token/refresh`, {
      client_id: 'submissions-web',
      refresh_token: String(token),
      ...more,
    })

  /** What a second factor does: adds its proof to the browser's session. */
  async function prove(sid: unknown, user_uuid: unknown, method: Method): Promise<void> {
    const proof = {
      proved: { method },
      *stillHolds() {
        yield* together()
        return true
      },
    }
    const from = { address: '192.0.2.1', requestId: 'r', client_id: 'submissions-web' }
    const session = { sid: String(sid), user_uuid: String(user_uuid) }
    const added = await withStore(tessera, (store) =>
      addProof(store, session, { proof, now: tessera.clock.now(), from }),
    )
    browser.cookies.set('tessera-session', added?.cookie ?? '')
  }

  it('that acr_values ask for and nobody can prove leads to enrolment, and declining to an error', async () => {
    const page = await signIn(browser, authorizeRequest({ acr_values: 'phr 2' }).path, people.importer)
    expect([page.status, pathOf(page)]).toEqual([200, '/sign-in/enrol'])
    expect(page.body).not.toContain('value="later"')
    // Neither Back, another tab nor a second request gets past it.
    const query = new URL(page.url).search
    for (const path of ['/oauth2/authorize/continue', '/choose-profile', '/consent', '/sign-in'])
      expect(pathOf(await browser.open(path + query))).toBe('/sign-in/enrol')
    expect(pathOf(await ask({ acr_values: '2' }))).toBe('/sign-in/enrol')
    expect(pathOf(await browser.submit(page, { choice: 'later' }))).toBe('/sign-in/enrol')
    expect(answerOf(await ask({ acr_values: '2', prompt: 'none' })).error).toBe('interaction_required')
    const declined = answerOf(await browser.submit(page, { choice: 'decline' }))
    expect(declined.error).toBe('unmet_authentication_requirements')
    expect(declined.code).toBeUndefined()
    // Another request that asks for nothing goes through.
    expect(answerOf(await ask())).toHaveProperty('code')
  })

  onOne.it('is the highest listed one that was reached, and unknown values are ignored', async () => {
    const { json } = await exchange(await codeOf({ acr_values: 'urn:mace:gold 7' }))
    const { sid, sub, acr, auth_time: authTime } = claimsOf(String(json.id_token))
    expect(acr).toBe('1')
    tessera.clock.advance(60_000)
    await prove(sid, sub, 'security_key')
    for (const [asked, told] of [
      ['1', '1'],
      ['2 1', '2'],
      ['1 phr', 'phr'],
      ['9', 'phr'],
    ] as const) {
      const silent = authorizeRequest({ acr_values: asked, prompt: 'none' })
      const { code = '' } = answerOf(await browser.open(silent.path))
      const tokens = (await exchange({ code, verifier: silent.verifier })).json
      for (const token of [tokens.id_token, tokens.access_token])
        expect(claimsOf(String(token))).toMatchObject({ acr: told, auth_time: authTime })
    }
    // What was proved before counts no longer once somebody has to prove it anew.
    expect(pathOf(await ask({ max_age: '30', acr_values: 'phr' }))).toBe('/sign-in')
    expect(pathOf(await ask({ prompt: 'login', acr_values: 'phr' }))).toBe('/sign-in')
  })

  it('is asked for again by the exchange: policy may have been tightened since the code', async () => {
    const code = await codeOf()
    await setPolicy(tessera, { client: 'submissions-web' }, { second_factor: 'required' })
    const refused = await exchange(code)
    expect([refused.status, refused.json.error, refused.json.acr_values]).toEqual([400, 'invalid_grant', '2'])
    await setPolicy(tessera, { client: 'submissions-web' }, null)
    expect((await exchange(code)).status).toBe(200)
  })

  it('of a code is what was proved when it was given: a step-up afterwards adds nothing to it', async () => {
    const before = await codeOf()
    const { sid, sub } = claimsOf(String((await exchange(await codeOfSession())).json.id_token))
    const stale = await codeOfSession()
    await prove(sid, sub, 'security_key')
    const { json } = await exchange(before)
    expect(claimsOf(String(json.access_token))).toMatchObject({ acr: '1', amr: ['pwd'] })
    await setPolicy(tessera, { client: 'submissions-web' }, { second_factor: 'required' })
    // Neither the tokens of before nor a code of before are lifted by what the session proves today.
    expect((await refresh(json.refresh_token)).json).toMatchObject({
      error: 'invalid_grant',
      acr_values: '2',
    })
    expect((await exchange(stale)).json).toMatchObject({ error: 'invalid_grant', acr_values: '2' })
    const fresh = await exchange(await codeOfSession())
    expect(claimsOf(String(fresh.json.access_token))).toMatchObject({ acr: 'phr' })
  })

  it('of one organisation is nobody else’s, and that of the installation counts where there is none', async () => {
    const { reader, bookkeeper } = profilesOfBoth
    await codeOf({ profile_uuid: bookkeeper }, people.both)
    await setPolicy(tessera, { organisation: 'acme' }, { second_factor: 'passkey' })
    expect(answerOf(await ask({ profile_uuid: bookkeeper, prompt: 'none' }))).toHaveProperty('code')
    expect(answerOf(await ask({ profile_uuid: reader, prompt: 'none' })).error).toBe('interaction_required')
    await setPolicy(tessera, { organisation: 'acme' }, null)
    // A profile of no organisation has no policy but that of its role, and so never less than the installation.
    await setPolicy(tessera, {}, { second_factor: 'required' })
    const admin = new TestBrowser(tessera.url)
    expect(pathOf(await signIn(admin, authorizeRequest().path, people.admin))).toBe('/sign-in/enrol')
  })

  it.each([{ role: 'importer' }, { organisation: 'acme' }, { client: 'submissions-web' }, {}])(
    'of policy at %j counts at the next refresh and authorize, and ends nothing',
    async (at) => {
      const { json } = await exchange(await codeOf())
      const { sid, sub } = claimsOf(String(json.id_token))
      await setPolicy(tessera, at, { second_factor: 'passkey' })
      const refused = await refresh(json.refresh_token)
      expect([refused.status, refused.json.error]).toEqual([400, 'invalid_grant'])
      expect(refused.json.acr_values).toBe('phr')
      expect(String(refused.json.error_description)).toContain('acr_values=phr')
      expect(answerOf(await ask({ prompt: 'none' })).error).toBe('interaction_required')
      expect(pathOf(await ask())).toBe('/sign-in/enrol')
      // A factor that is not phishing-resistant is not enough.
      await prove(sid, sub, 'totp')
      expect(pathOf(await ask())).toBe('/sign-in/enrol')
      await prove(sid, sub, 'security_key')
      expect(answerOf(await ask({ prompt: 'none' }))).toHaveProperty('code')
      // Nothing was rotated or revoked.
      await setPolicy(tessera, at, null)
      expect((await refresh(json.refresh_token)).status).toBe(200)
    },
  )

  onOne.it('of another profile is asked for before a switch to it', async () => {
    const { reader, bookkeeper } = profilesOfBoth
    const { json } = await exchange(await codeOf({ profile_uuid: reader }, people.both))
    await setPolicy(tessera, { role: 'bookkeeper' }, { second_factor: 'required', trusted_device_days: 30 })
    const refused = await refresh(json.refresh_token, { profile_uuid: bookkeeper })
    expect([refused.status, refused.json.error]).toEqual([400, 'interaction_required'])
    expect(refused.json.acr_values).toBe('2')
    const same = await refresh(json.refresh_token)
    expect(claimsOf(String(same.json.access_token))).toMatchObject({ role_code: 'reader' })
    // Silent sign-on asks for what is missing alone.
    expect(answerOf(await ask({ profile_uuid: reader, prompt: 'none' }))).toHaveProperty('code')
    const stricter = { profile_uuid: bookkeeper, prompt: 'none' }
    expect(answerOf(await ask(stricter)).error).toBe('interaction_required')
    const { sid, sub } = claimsOf(String(json.id_token))
    await prove(sid, sub, 'trusted_device')
    expect(answerOf(await ask(stricter))).toHaveProperty('code')
    // It stands in for no level that is asked for, and for none once its days are over.
    expect(answerOf(await ask({ ...stricter, acr_values: '2' })).error).toBe('interaction_required')
    await setPolicy(tessera, { role: 'bookkeeper' }, { second_factor: 'passkey', trusted_device_days: 30 })
    expect(answerOf(await ask(stricter)).error).toBe('interaction_required')
    await setPolicy(tessera, { role: 'bookkeeper' }, { second_factor: 'required' })
    expect(answerOf(await ask(stricter)).error).toBe('interaction_required')
  })

  it('can be put off within grace, from the first sign-in that demands it', async () => {
    await setPolicy(tessera, { role: 'importer' }, { second_factor: 'required', grace_days: 2 })
    const request = authorizeRequest()
    const page = await signIn(browser, request.path, people.importer)
    expect(pathOf(page)).toBe('/sign-in/enrol')
    expect(page.body).toContain('value="later"')
    const { code = '' } = answerOf(await browser.submit(page, { choice: 'later' }))
    const { json } = await exchange({ code, verifier: request.verifier })
    // Within the session it is not asked again, and with the next sign-in it is.
    expect(answerOf(await ask({ prompt: 'none' }))).toHaveProperty('code')
    expect(pathOf(await signIn(browser, authorizeRequest({ prompt: 'login' }).path, people.importer))).toBe(
      '/sign-in/enrol',
    )
    const refreshed = await refresh(json.refresh_token)
    expect(refreshed.status).toBe(200)
    tessera.clock.advance(2 * day)
    const late = await signIn(new TestBrowser(tessera.url), authorizeRequest().path, people.importer)
    expect([pathOf(late), late.body.includes('value="later"')]).toEqual(['/sign-in/enrol', false])
    expect((await refresh(refreshed.json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' })
  })

  it('stays at what it offers to who was signed in already, until they put it off', async () => {
    await codeOf()
    await setPolicy(tessera, { role: 'importer' }, { second_factor: 'required', grace_days: 2 })
    const page = await ask()
    expect([pathOf(page), page.body.includes('value="later"')]).toEqual(['/sign-in/enrol', true])
    // Otherwise a factor that is set up there would be thrown away without a word.
    const again = await browser.submit(page, { code: '000000', name: 'App' })
    expect(pathOf(again)).toBe('/sign-in/enrol')
    expect(answerOf(await browser.submit(again, { choice: 'later' }))).toHaveProperty('code')
    // The next request offers nothing, because grace runs.
    expect(answerOf(await ask())).toHaveProperty('code')
  })

  onOne.it('knows no grace before it was demanded, nor where an administrator demands it', async () => {
    const { json } = await exchange(await codeOf())
    await setPolicy(tessera, { role: 'importer' }, { second_factor: 'required', grace_days: 2 })
    expect((await refresh(json.refresh_token)).json.error).toBe('invalid_grant')
    await changeUser(tessera, people.importer.email, { enrolment_required: 1 })
    const page = await ask()
    expect([pathOf(page), page.body.includes('value="later"')]).toEqual(['/sign-in/enrol', false])
    await setPolicy(tessera, { role: 'importer' }, null)
    expect(pathOf(await ask())).toBe('/sign-in/enrol')
  })
})
