import { beforeAll, describe, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, profiles } from '../administration/support.ts'
import { applyChanged } from '../declared/change.ts'
import { claimsOf, people, redirectUri, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { type Answer, audiences, refresh, refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'
import { approve, beginDevice, deviceClients, deviceGrant } from './device-support.ts'
import { type ProofKey, proofBy, proofKey } from './dpop-support.ts'
import {
  addExchanger,
  type Caller,
  exchangeGrant,
  exchange,
  exchangerBody,
  must,
} from './exchange-support.ts'
import { opening, push } from './par-support.ts'
import { answerOf, authorizeRequest } from '../harness/browser.ts'

const field = 'dpop_bound_access_tokens'
const phoenix = {
  client_id: 'phoenix',
  client_name: 'Phoenix',
  type: 'public',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid',
  [field]: true,
}

/** What else happens to a family, a code or a client while a key binds its tokens. */
onEachDatabase('what is bound to a key stays so', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_GRANTS: '0', TESSERA_LIMIT_AUTHORIZE: '0' })
  let own: ProofKey
  let thief: ProofKey
  let admin: Administrator
  let visitor: Visitor
  beforeAll(async () => {
    ;[own, thief] = [await proofKey(), await proofKey()]
    await applyChanged(tessera, deviceClients)
    admin = await Administrator.machine(tessera.url)
    visitor = new Visitor(tessera.url)
  })
  const by = async (key?: ProofKey, path = '/oauth2/token'): Promise<Record<string, string>> => {
    if (key === undefined) return {}
    const now = Math.floor(tessera.clock.now() / 1000)
    return { dpop: await proofBy(key, { url: `${tessera.url}${path}`, now }) }
  }
  const asked = async (form: Record<string, string>, key?: ProofKey): Promise<Answer> =>
    await token(tessera.url, form, await by(key))
  const refreshed = async (refresh_token: string | undefined, key?: ProofKey, changes = {}) => {
    const form = { client_id: 'submissions-web', refresh_token: refresh_token ?? '', ...changes }
    return await asked({ grant_type: 'refresh_token', ...form }, key)
  }
  const begun = async () => tokensOf(await asked(await visitor.code(), own))
  /** By nothing and by a key of one's own. */
  async function expectRefused(ask: (key?: ProofKey) => Promise<Answer>): Promise<void> {
    for (const key of [undefined, thief]) expect(refusalOf(await ask(key))).toBe('400 invalid_grant')
  }

  it('where a token was replaced a moment ago: the successor is for the key alone', async () => {
    const { refresh_token } = await begun()
    const path = '/v1/iam/token/refresh'
    const next = tokensOf(await refresh(tessera.url, refresh_token, {}, await by(own, path)))
    await expectRefused(async (key) => await refresh(tessera.url, refresh_token, {}, await by(key, path)))
    const again = tokensOf(await refresh(tessera.url, refresh_token, {}, await by(own, path)))
    expect(again.refresh_token).toBe(next.refresh_token)
  })

  it.each([{ scope: 'openid' }, { resource: audiences.submissions }, { profile_uuid: profiles.importer }])(
    'where it is narrowed or switched by %o',
    async (changes) => {
      const { refresh_token } = await begun()
      await expectRefused(async (key) => await refreshed(refresh_token, key, changes))
      const next = tokensOf(await refreshed(refresh_token, own, changes))
      expect(claimsOf(next.access_token).cnf).toEqual({ jkt: own.jkt })
      await expectRefused(async (key) => await refreshed(next.refresh_token, key))
      expect((await refreshed(next.refresh_token, own)).status).toBe(200)
    },
  )

  onOne.it('where a device has it', async () => {
    const { device_code, user_code } = await beginDevice(tessera.url)
    await approve(new TestBrowser(tessera.url), user_code, people.importer)
    const client_id = 'terminal'
    const { refresh_token } = tokensOf(await asked({ grant_type: deviceGrant, client_id, device_code }, own))
    await expectRefused(async (key) => await refreshed(refresh_token, key, { client_id }))
    expect((await refreshed(refresh_token, own, { client_id })).status).toBe(200)
  })

  it('where a code is brought to another grant, or by another client', async () => {
    const form = await visitor.code({ dpop_jkt: own.jkt })
    const code = form.code ?? ''
    for (const changes of [
      { grant_type: deviceGrant, device_code: code },
      { grant_type: 'refresh_token', refresh_token: code },
      { client_id: 'admin-web' },
    ])
      for (const key of [own, thief])
        expect((await asked({ ...form, ...changes }, key)).status, JSON.stringify(changes)).toBe(400)
    const { refresh_token } = tokensOf(await asked(form, own))
    // The code that was used ends what it gave by the key alone.
    await expectRefused(async (key) => await asked(form, key))
    expect((await refreshed(refresh_token, own)).status).toBe(200)
  })

  it('where a pushed request is opened with another key in the address, by whichever browser', async () => {
    const { query, verifier, parameters } = authorizeRequest()
    const client_id = parameters.client_id ?? ''
    const request = await push(tessera.url, query, await by(own, '/oauth2/par'))
    const path = opening(client_id, String(request.json.request_uri))
    const { code = '' } = answerOf(await visitor.browser.open(`${path}&dpop_jkt=${thief.jkt}`))
    const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier }
    const exchanged = { ...form, redirect_uri: redirectUri }
    await expectRefused(async (key) => await asked(exchanged, key))
    expect((await asked(exchanged, own)).status).toBe(200)
  })

  it('where the client is removed and made anew', async () => {
    must(await admin.post('/clients', phoenix), 201)
    const changes = { client_id: 'phoenix', scope: 'openid' }
    const { refresh_token } = tokensOf(await asked(await visitor.code(changes), own))
    const code = await visitor.code({ ...changes, dpop_jkt: own.jkt })
    expect((await admin.delete('/clients/phoenix')).status).toBe(204)
    must(await admin.post('/clients', phoenix), 201)
    for (const answer of [await refreshed(refresh_token, own, changes), await asked(code, own)])
      expect(refusalOf(answer)).toBe('400 invalid_grant')
  })

  describe('and a client that comes to need a key', () => {
    const set = async (to: boolean) =>
      must(await admin.patch('/clients/submissions-web', { [field]: to }), 200)

    it('is given nothing for refresh tokens that are anybody’s, and has not lost those of its key', async () => {
      const [free, bound] = [await visitor.tokens(), await begun()]
      await set(true)
      expect(refusalOf(await refreshed(free.refresh_token))).toBe('400 invalid_request')
      expect(refusalOf(await refreshed(free.refresh_token, thief))).toBe('400 invalid_grant')
      const next = tokensOf(await refreshed(bound.refresh_token, own))
      await set(false)
      // Nothing was ended by the refusal, nor is anything freed by the change.
      expect((await refreshed(free.refresh_token)).status).toBe(200)
      await expectRefused(async (key) => await refreshed(next.refresh_token, key))
    })

    onOne.it(
      'is none of those that come along, nor of those that an administrator does not see',
      async () => {
        const theirs = await Administrator.machine(tessera.url, 'acme-cli')
        const owned = { ...phoenix, client_id: 'of-acme', organisation_uuid: acme, first_party: false }
        must(await admin.post('/clients', owned), 201)
        must(await theirs.patch('/clients/of-acme', { id_token_signed_response_alg: 'ES256' }), 200)
        for (const id of ['tessera:console', 'tessera:command']) {
          const answer = await admin.ask('PATCH', `/clients/${id}`, { body: { [field]: true }, match: '"1"' })
          expect(answer.status).toBe(404)
        }
        const unseen = { body: { [field]: true }, match: '"1"' }
        expect((await theirs.ask('PATCH', '/clients/submissions-web', unseen)).status).toBe(404)
      },
    )
  })

  describe('and a service that acts for the person', () => {
    let caller: Caller
    beforeAll(async () => {
      const body = exchangerBody('submissions-tool', ['ledger'], ['ledger.entry.read'])
      caller = await addExchanger(admin, body)
    })

    it('gets nothing for a bound token, whatever it proves, and its own is bound to its key', async () => {
      const form = (subject_token: string | undefined) => ({
        grant_type: exchangeGrant,
        subject_token: subject_token ?? '',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        resource: audiences.ledger,
        ...caller,
      })
      const { access_token: bound } = await begun()
      for (const key of [undefined, own, thief])
        expect(refusalOf(await asked(form(bound), key))).toBe('400 invalid_request')
      const { access_token: free } = await visitor.tokens()
      const given = tokensOf(await asked(form(free), own))
      expect(given.token_type).toBe('DPoP')
      expect(claimsOf(given.access_token)).toMatchObject({
        cnf: { jkt: own.jkt },
        act: { sub: caller.client_id },
      })
      must(await admin.patch(`/clients/${caller.client_id}`, { [field]: true }), 200)
      expect(refusalOf(await exchange(tessera.url, caller, free))).toBe('400 invalid_request')
    })
  })
})
