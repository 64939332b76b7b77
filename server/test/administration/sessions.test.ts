/** Sessions, token families and consents: who sees and ends them. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, globex, heads, problemOf, profiles, users, administeredOn } from './support.ts'
import { claimsOf, people, profilesOfBoth, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { introspect, refresh, refusalOf, token, userinfo, Visitor } from '../harness/program.ts'
import { answeredWhile, changeClient, giveConsents, logoutNotices } from '../harness/states.ts'

const nowhere = '99999999-9999-4999-8999-999999999999'

onEachDatabase('sessions, token families and consents', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const signIn = (profile?: string) =>
    tokensFor(
      tessera.url,
      profile === undefined ? people.importer : people.both,
      profile === undefined ? {} : { profile },
    )
  const sessionsOf = (who: Administrator, user: string) => who.all(`/sessions?user_uuid=${user}`, 1)
  const familiesOf = (who: Administrator, user: string) => who.all(`/token-families?user_uuid=${user}`, 1)
  const counts = async (tokens: Record<string, string>) => {
    const { status } = await userinfo(tessera.url, tokens.access_token)
    const { active } = await introspect(tessera.url, tokens.access_token)
    expect(active).toBe(status === 200)
    return status === 200
  }

  it('are listed, and one that is ended ends what it gave, in the same moment', async () => {
    const [first, second] = [await signIn(), await signIn()]
    const listed = await sessionsOf(own, users.importer)
    expect(listed).toHaveLength(2)
    expect(await sessionsOf(admin, users.importer)).toEqual(listed)
    const families = await familiesOf(own, users.importer)
    expect(families.map((one) => [one.client_id, one.profile_uuid])).toEqual([
      ['submissions-web', profiles.importer],
      ['submissions-web', profiles.importer],
    ])
    expect(JSON.stringify([listed, families])).not.toContain('hash')
    const sid = String(families[0]?.sid)
    expect((await own.get(`/sessions/${sid}`)).json).toMatchObject({
      sid,
      user_uuid: users.importer,
      ended_at: null,
    })
    await changeClient(tessera, 'submissions-web', { backchannel_logout_uri: 'https://rp.example/logout' })
    expect((await own.delete(`/sessions/${sid}`)).status).toBe(204)
    expect(await counts(first)).toBe(false)
    expect((await refresh(tessera.url, first.refresh_token)).status).toBe(400)
    expect(await counts(second)).toBe(true)
    expect(await sessionsOf(own, users.importer)).toHaveLength(1)
    expect((await own.get(`/sessions/${sid}`)).json.ended_at).not.toBeNull()
    expect((await own.delete(`/sessions/${sid}`)).status).toBe(204)
    expect((await logoutNotices(tessera)).map((one) => one.sid)).toEqual([sid])
    expect(await admin.all(`/audit?kind=session.ended&target=${sid}`)).toMatchObject([
      { organisation_uuid: acme },
    ])
  })

  it('tell where somebody is signed in, as the person sees it', async () => {
    const browser = new TestBrowser(tessera.url)
    browser.headers['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const { id_token: id = '' } = await tokensFor(tessera.url, people.importer, { browser })
    const { sid } = claimsOf(id)
    const [listed] = (await sessionsOf(own, users.importer)).filter((one) => one.sid === sid)
    expect(listed).toMatchObject({ browser: 'Firefox, Linux', network: expect.stringMatching(/^(127\.|::)/) })
    expect((await own.get(`/sessions/${String(sid)}`)).json).toEqual(listed)
    const page = (await browser.open('/account/sessions')).body
    for (const told of [listed?.browser, listed?.network]) expect(page).toContain(told)
  })

  it('one token family is revoked, and the session goes on', async () => {
    const tokens = await signIn()
    const [jti = ''] = String((await introspect(tessera.url, tokens.access_token)).jti).split('.')
    const before = (await sessionsOf(own, users.importer)).length
    expect((await own.delete(`/token-families/${jti}`)).status).toBe(204)
    expect(await counts(tokens)).toBe(false)
    expect((await sessionsOf(own, users.importer)).length).toBe(before)
    expect((await familiesOf(own, users.importer)).map((one) => one.id)).not.toContain(jti)
    expect(problemOf(await own.delete(`/token-families/${'0'.repeat(32)}`))).toBe('404 not_found')
    expect(problemOf(await own.delete('/token-families/x'))).toBe('404 not_found')
  })

  it('all of somebody end together', async () => {
    const tokens = [await signIn(), await signIn()]
    expect((await own.delete(`/users/${users.importer}/sessions`)).status).toBe(204)
    for (const one of tokens) {
      expect(await counts(one)).toBe(false)
      expect((await refresh(tessera.url, one.refresh_token)).status).toBe(400)
    }
    expect(await sessionsOf(admin, users.importer)).toEqual([])
    expect(await familiesOf(admin, users.importer)).toEqual([])
    expect((await own.delete(`/users/${users.importer}/sessions`)).status).toBe(204)
  })

  it('of who belongs elsewhere too, an organisation sees its own tokens alone and ends no session', async () => {
    await signIn(profilesOfBoth.bookkeeper)
    expect(await familiesOf(own, users.both)).toEqual([])
    const elsewhere = await familiesOf(admin, users.both)
    expect(elsewhere).toHaveLength(1)
    expect((await own.get(`/token-families?user_uuid=${users.both}&limit=1`)).json).toEqual({
      items: [],
      next_cursor: null,
    })
    expect(problemOf(await own.delete(`/token-families/${String(elsewhere[0]?.id)}`))).toBe('404 not_found')
    // A sign-in there is not theirs to see: it tells when, and that there is one.
    const unused = `/sessions/${String(elsewhere[0]?.sid)}`
    expect(await sessionsOf(own, users.both)).toEqual([])
    for (const method of ['GET', 'DELETE']) {
      const answer = await own.ask(method, unused)
      expect(problemOf(answer)).toBe('404 not_found')
      expect(answer.text).toBe((await own.ask(method, `/sessions/${nowhere}`)).text)
    }
    expect(await sessionsOf(admin, users.both)).toHaveLength(1)
    await signIn(profilesOfBoth.reader)
    const [session, ...more] = await sessionsOf(own, users.both)
    expect(more).toEqual([])
    const here = await familiesOf(own, users.both)
    expect(here.map((one) => [one.sid, one.profile_uuid])).toEqual([[session?.sid, profilesOfBoth.reader]])
    const used = `/sessions/${String(session?.sid)}`
    expect((await own.get(used)).json.sid).toBe(session?.sid)
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(await sessionsOf(unitHead, users.both)).toEqual([])
    expect(problemOf(await unitHead.get(used))).toBe('404 not_found')
    expect(problemOf(await own.delete(used))).toBe('403 forbidden')
    expect(await sessionsOf(admin, users.both)).toHaveLength(2)
    expect(problemOf(await own.delete(`/users/${users.both}/sessions`))).toBe('403 forbidden')
  })

  it('of who is out of reach are as if they did not exist', async () => {
    await tokensFor(tessera.url, people.admin, {
      changes: { client_id: 'admin-web', scope: 'openid service.api' },
    })
    const [session] = await sessionsOf(admin, users.admin)
    const [family] = await familiesOf(admin, users.admin)
    const sid = String(session?.sid)
    expect(await sessionsOf(own, users.admin)).toEqual([])
    expect(await familiesOf(own, users.admin)).toEqual([])
    for (const path of [
      `/sessions/${sid}`,
      `/users/${users.admin}/sessions`,
      `/token-families/${String(family?.id)}`,
      `/users/${globex}/sessions`,
      '/sessions/x',
    ]) {
      expect(problemOf(await own.delete(path))).toBe('404 not_found')
    }
    expect(problemOf(await own.get(`/sessions/${sid}`))).toBe('404 not_found')
    expect(await sessionsOf(admin, users.admin)).toHaveLength(1)
    for (const path of [
      '/sessions',
      '/token-families',
      '/token-families?client_id=submissions-web',
      '/consents',
    ]) {
      expect(problemOf(await own.get(path))).toBe('400 invalid_request user_uuid')
      expect((await admin.get(path)).status).toBe(200)
    }
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(problemOf(await unitHead.delete(`/users/${users.both}/sessions`))).toBe('404 not_found')
    expect((await unitHead.delete(`/users/${users.importer}/sessions`)).status).toBe(204)
  })

  it('a consent is listed and withdrawn, with what it gave', async () => {
    const tokens = await signIn()
    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    const ofAnother = await tokensFor(tessera.url, people.importer, { changes })
    const form = await new Visitor(tessera.url).code()
    const consent = { user_uuid: users.importer, client_id: 'submissions-web', scope: 'openid email' }
    await giveConsents(tessera, consent)
    expect(await own.all(`/consents?user_uuid=${users.importer}`)).toEqual([
      {
        ...consent,
        services: [],
        permissions: [],
        redirect_hosts: [],
        claims: [],
        onward: [],
        email: 'importer@acme.example',
        granted_at: '1970-01-01T00:00:00.001Z',
      },
    ])
    expect(await admin.all('/consents?client_id=partner-portal')).toEqual([])
    expect(await admin.all('/consents?client_id=submissions-web', 1)).toHaveLength(1)
    const path = `/users/${users.importer}/consents/submissions-web`
    expect(problemOf(await own.delete(`/users/${users.admin}/consents/submissions-web`))).toBe(
      '404 not_found',
    )
    expect((await own.delete(path)).status).toBe(204)
    expect(await counts(tokens)).toBe(false)
    expect((await userinfo(tessera.url, ofAnother.access_token)).status).toBe(200)
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    expect(problemOf(await own.delete(path))).toBe('404 not_found')
  })

  it('a consent given to a client of another organisation is seen where all that its person holds is', async () => {
    const given = async (user_uuid: string, client_id: string) =>
      await giveConsents(tessera, { user_uuid, client_id, scope: 'openid' })
    const foreign = {
      client_id: 'globex-portal',
      client_name: 'Globex portal',
      type: 'public',
      organisation_uuid: globex,
      redirect_uris: ['https://portal.globex.example/callback'],
      scope: 'openid',
    }
    expect((await admin.post('/clients', foreign)).status).toBe(201)
    for (const user of [users.both, users.importer]) {
      await given(user, 'globex-portal')
      await given(user, 'partner-portal')
    }
    const seen = async (who: Administrator, user: string) =>
      (await who.all(`/consents?user_uuid=${user}`, 1)).map((one) => one.client_id)
    expect(await seen(admin, users.both)).toEqual(['globex-portal', 'partner-portal'])
    expect(await seen(own, users.both)).toEqual(['partner-portal'])
    expect(await own.all(`/consents?user_uuid=${users.both}&client_id=globex-portal`)).toEqual([])
    expect(await seen(own, users.importer)).toEqual(['globex-portal', 'partner-portal'])
    expect((await own.delete(`/users/${users.importer}/consents/globex-portal`)).status).toBe(204)
  })

  it.each([
    ['is disabled', { active: 0 }, '401 invalid_token'],
    ['may do less', { permissions: '["iam.users.read"]' }, '403 forbidden'],
  ] as const)('are not ended by who %s while they wait', async (_, values, refusal) => {
    const tokens = await signIn()
    const [family] = await familiesOf(own, users.importer)
    const consent = { user_uuid: users.importer, client_id: 'submissions-web', scope: 'openid' }
    await giveConsents(tessera, consent)
    const paths = [
      `/sessions/${String(family?.sid)}`,
      `/users/${users.importer}/sessions`,
      `/token-families/${String(family?.id)}`,
      `/users/${users.importer}/consents/submissions-web`,
    ]
    for (const path of paths) {
      const answer = await answeredWhile(
        tessera,
        ['acme-cli', values],
        () => own.delete(path),
        ({ text, status }) => text.includes('meanwhile') || status === 204,
      )
      expect(problemOf(answer), path).toBe(refusal)
      expect(answer.json.detail).toMatch(/meanwhile; nothing was changed/)
    }
    expect(await counts(tokens)).toBe(true)
    for (const path of paths.toReversed()) expect((await own.delete(path)).status, path).toBe(204)
    expect(await counts(tokens)).toBe(false)
  })
})
