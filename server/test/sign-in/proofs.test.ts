import { expect, it } from 'vitest'
import { together } from '../../dist/database/steps.js'
import { addProof } from '../../dist/store/add-proof.js'
import type { Proof } from '../../dist/store/start-session.js'
import { users } from '../administration/support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  TestBrowser,
  tokensFor,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { auditOf, forgetProofs } from '../harness/states.ts'

/** A session is proved step by step, and tokens say what it was when their code was given. */
onEachDatabase('the proofs of a session', (dialect) => {
  const tessera = tesseraOn(dialect)
  const cookieName = 'tessera-session'
  const user_uuid = users.importer

  const proofOf = (method: Proof['proved']['method'], holds = true): Proof => ({
    proved: { method, credential: 'f1' },
    *stillHolds() {
      yield* together()
      return holds
    },
  })

  const add = async (sid: string, proof: Proof) =>
    await withStore(tessera, (store) =>
      addProof(
        store,
        { sid, user_uuid },
        {
          proof,
          now: tessera.clock.now(),
          from: { address: '192.0.2.1', requestId: 'r', client_id: 'submissions-web' },
        },
      ),
    )

  async function signedIn() {
    const browser = new TestBrowser(tessera.url)
    const tokens = await tokensFor(tessera.url, people.importer, { browser })
    return { browser, tokens, sid: String(claimsOf(tokens.id_token).sid) }
  }

  async function silently(browser: TestBrowser, changes = {}): Promise<Record<string, string>> {
    const { path, verifier, parameters } = authorizeRequest({ prompt: 'none', ...changes })
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: parameters.redirect_uri ?? '',
      code: answerOf(await browser.open(path)).code ?? '',
      code_verifier: verifier,
    })
    return json as Record<string, string>
  }

  const refresh = async (token: string | undefined) =>
    (
      await post(`${tessera.url}/oauth2/token`, {
        grant_type: 'refresh_token',
        client_id: 'submissions-web',
        refresh_token: token ?? '',
      })
    ).json as Record<string, string>

  it('grow by a step-up, which renews the cookie and neither sid nor auth_time', async () => {
    const { browser, tokens, sid } = await signedIn()
    tessera.clock.advance(100_000)
    const added = await add(sid, proofOf('totp'))
    // The cookie of before no longer counts.
    expect(answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path)).error).toBe(
      'login_required',
    )
    browser.cookies.set(cookieName, added?.cookie ?? '')
    const after = await silently(browser)
    const [before, now] = [claimsOf(tokens.id_token), claimsOf(after.id_token)]
    expect([before.acr, before.amr]).toEqual(['1', ['pwd']])
    expect([now.acr, now.amr]).toEqual(['2', ['pwd', 'otp', 'mfa']])
    expect([now.sid, now.auth_time]).toEqual([before.sid, before.auth_time])
    expect(claimsOf(after.access_token)).toMatchObject({ acr: '2', amr: ['pwd', 'otp', 'mfa'] })
    // Tokens from before the step-up stay what they are, and so do their successors.
    expect(claimsOf((await refresh(tokens.refresh_token)).access_token)).toMatchObject({ acr: '1' })
    expect(claimsOf((await refresh(after.refresh_token)).id_token)).toMatchObject({ acr: '2' })
    const records = await auditOf(tessera, { kind: 'sign_in.stepped_up' })
    expect(records.map((one) => [one.sid, one.user_uuid, one.detail])).toEqual([
      [sid, user_uuid, { method: 'totp', acr: '2', amr: ['pwd', 'otp', 'mfa'] }],
    ])
  })

  it('make a token that asks for less no fresher than the session is', async () => {
    const { browser, tokens, sid } = await signedIn()
    await add(sid, proofOf('totp'))
    tessera.clock.advance(100_000)
    // As the account takes it, which goes on to ask for the second factor.
    browser.cookies.set(cookieName, (await add(sid, proofOf('password')))?.cookie ?? '')
    const whole = claimsOf((await silently(browser)).access_token)
    const { acr, auth_time } = claimsOf((await silently(browser, { acr_values: '1' })).access_token)
    expect([whole.acr, acr, auth_time]).toEqual(['2', '1', whole.auth_time])
    expect(Number(auth_time)).toBeLessThan(Number(claimsOf(tokens.id_token).auth_time) + 100)
  })

  it('are replaced by a sign-in', async () => {
    const { browser, sid } = await signedIn()
    browser.cookies.set(cookieName, (await add(sid, proofOf('security_key')))?.cookie ?? '')
    expect(claimsOf((await silently(browser)).id_token)).toMatchObject({ acr: 'phr' })
    const again = await tokensFor(tessera.url, people.importer, { browser, changes: { prompt: 'login' } })
    expect(claimsOf(again.id_token)).toMatchObject({ acr: '1', amr: ['pwd'], sid })
  })

  it('all count when they are added at once, and none that is void or of an ended session', async () => {
    const { browser, sid } = await signedIn()
    const both = await Promise.all([add(sid, proofOf('totp')), add(sid, proofOf('security_key'))])
    expect(both.every((one) => one !== undefined)).toBe(true)
    const cookies = both.map((one) => one?.cookie ?? '')
    const counts: string[] = []
    for (const cookie of cookies) {
      browser.cookies.set(cookieName, cookie)
      const answer = answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path))
      if (answer.code !== undefined) counts.push(cookie)
    }
    expect(counts).toHaveLength(1)
    browser.cookies.set(cookieName, counts[0] ?? '')
    expect(claimsOf((await silently(browser)).id_token)).toMatchObject({ amr: ['pwd', 'otp', 'pop', 'mfa'] })
    expect(await add(sid, proofOf('totp', false))).toBeUndefined()
    expect(await add(randomSid, proofOf('totp'))).toBeUndefined()
    const other = { sid, user_uuid: users.both }
    const from = { address: '192.0.2.1', requestId: 'r', client_id: 'submissions-web' }
    const ofAnother = await withStore(tessera, (store) =>
      addProof(store, other, { proof: proofOf('totp'), now: tessera.clock.now(), from }),
    )
    expect(ofAnother).toBeUndefined()
  })

  it('of a version before are what its rows say', async () => {
    const { browser, tokens, sid } = await signedIn()
    await forgetProofs(tessera)
    expect(claimsOf((await refresh(tokens.refresh_token)).access_token)).toMatchObject({
      acr: '1',
      amr: ['pwd'],
    })
    browser.cookies.set(cookieName, (await add(sid, proofOf('totp')))?.cookie ?? '')
    expect(claimsOf((await silently(browser)).id_token)).toMatchObject({
      acr: '2',
      amr: ['pwd', 'otp', 'mfa'],
    })
  })
})

const randomSid = '7d0f4f6e-2b51-4c6a-9a7b-3f5d1c2e0001'
