/** Several people invited by one request: what comes of each, and that no rule of a single invitation is left out. */
import { beforeAll, expect, it } from 'vitest'
import { people, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { refresh, tokensOf } from '../harness/program.ts'
import { everythingWritten } from '../harness/states.ts'
import { bulkBy, refusalBy, toldBy, triedBy } from './bulk-support.ts'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  tokenOf,
} from './support.ts'

const path = '/invitations/bulk'
const importer = (at: object = { organisation_uuid: acme }) => ({ role_code: 'importer', ...at })
const profiles = [importer()]

onEachDatabase('several invitations', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect, {
    TESSERA_MAIL_URL: 'smtp://127.0.0.1:1',
    TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>',
  })
  let admin: Administrator
  let head: Administrator
  let unitHead: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
  })

  let count = 0
  const addresses = (many: number) => Array.from({ length: many }, () => `several-${++count}@many.example`)
  const invite = async (who: Administrator, body: object) => await bulkBy(who, body, '', path)
  const tried = async (who: Administrator, body: object) => await triedBy(who, body, path)
  const invitationsOf = async (emails: readonly string[]) =>
    (await admin.all('/invitations')).filter((one) => emails.includes(String(one.email)))
  const trailOf = async (requestId: string) => await admin.all(`/audit?request_id=${requestId}`)
  const mails = async () => await admin.all('/mails')

  it('are made and mailed one each, told before, and have one trail', async () => {
    const emails = addresses(45)
    const body = { emails, profiles, locale: 'de', client_id: 'submissions-web' }
    const before = await everythingWritten(tessera)
    const trial = await tried(head, body)
    expect(trial.end).toEqual({
      ...{ kind: 'done', addresses: 45, invited: 45, already: 0, refused: 0 },
      ...{ dry_run: true, sign_in_again: false },
    })
    expect(await everythingWritten(tessera)).toEqual(before)
    const mailed = (await mails()).length
    const done = await invite(head, body)
    expect(done.end).toEqual({ ...trial.end, dry_run: false })
    expect(done.lines.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'done'])
    expect(JSON.stringify(done.lines)).not.toContain('link')
    const made = await invitationsOf(emails)
    expect(made).toHaveLength(45)
    for (const one of made)
      expect(one).toMatchObject({ state: 'pending', locale: 'de', client_id: 'submissions-web', name: null })
    expect(await mails()).toHaveLength(mailed + 45)
    const trail = await trailOf(done.requestId)
    expect(trail.map(({ kind }) => kind)).toEqual(Array(45).fill('invitation.created'))
    expect(new Set(trail.map((one) => (one.target as { id: string }).id))).toEqual(
      new Set(made.map((one) => one.uuid)),
    )
  })

  it('are not made twice, by whom they were made or who reads them', async () => {
    const emails = addresses(2)
    const [first = '', second = ''] = emails
    await invite(head, { emails: [first], profiles })
    const body = { emails: [...emails, second.toUpperCase()], profiles }
    for (const who of [head, admin]) expect((await tried(who, body)).end).toMatchObject({ already: 1 })
    const done = await invite(admin, body)
    expect(done.end).toMatchObject({ addresses: 2, invited: 1, already: 1, refused: 0 })
    const again = await invite(head, body)
    expect(again.end).toMatchObject({ addresses: 2, invited: 0, already: 2 })
    expect(await trailOf(again.requestId)).toEqual([])
    // What gives something else, or lasts otherwise, is another invitation.
    const ends = { ...importer(), expires_at: '2099-01-01T00:00:00Z' }
    const others = [[importer({ organisation_uuid: acme, organisation_unit_uuid: intake })], [ends]]
    for (const other of others)
      expect((await invite(head, { emails, profiles: other })).end).toMatchObject({ invited: 2 })
    const sameEnd = { ...ends, expires_at: '2099-01-01T00:00:00.000Z', organisation_unit_uuid: null }
    expect((await tried(head, { emails, profiles: [sameEnd] })).end).toMatchObject({ already: 2 })
    // One that was withdrawn counts no more.
    for (const one of await invitationsOf([first])) await admin.delete(`/invitations/${String(one.uuid)}`)
    expect((await tried(head, body)).end).toMatchObject({ invited: 1, already: 1 })
  })

  once.it('tell nothing of invitations by others to who may not read them', async () => {
    const role = { code: 'only-invites', name: 'Only invites', permissions: ['iam.invitations.create'] }
    await admin.post('/roles', role)
    const person = { email: 'only-invites@acme.example', password: 'a passphrase of who invites' }
    const made = await admin.post('/users', {
      ...{ ...person, name: 'Only Invites', profiles: [{ role_code: 'only-invites' }] },
    })
    expect(made.status, made.text).toBe(201)
    const inviter = await Administrator.person(tessera.url, person)
    const emails = addresses(1)
    await invite(admin, { emails })
    expect((await tried(inviter, { emails })).end).toMatchObject({ invited: 1, already: 0 })
    await invite(inviter, { emails })
    expect((await tried(inviter, { emails })).end).toMatchObject({ invited: 0, already: 1 })
    // Profiles need more.
    expect(await refusalBy(inviter, { emails, profiles }, '', path)).toBe('403 insufficient_scope')
  })

  it('answer the same for an address that has an account', async () => {
    const [unknown = ''] = addresses(1)
    const done = await invite(head, { emails: [people.importer.email, unknown], profiles })
    expect(done.end).toMatchObject({ invited: 2, already: 0, refused: 0 })
  })

  once.it('tell which are no addresses, and go on with the others', async () => {
    const [good = '', other = ''] = addresses(2)
    const wrong = ['no address', '', 'ines@', 'іnes@асme.example', '<b>@x.example', 'a@b.example\u0000']
    const long = `${'x'.repeat(400)}@many.example`
    const body = { emails: [good, ...wrong, long, other], profiles }
    const trial = await tried(head, body)
    const done = await invite(head, body)
    expect(done.refused).toEqual(trial.refused)
    expect(done.refused).toEqual([...wrong, 'x'.repeat(255)].map((one) => `${one} invalid_request`))
    expect(done.end).toMatchObject({ addresses: 9, invited: 2, already: 0, refused: 7 })
    expect(done.lines[2]?.detail).toBe('It is no e-mail address.')
    expect(await invitationsOf([good, other])).toHaveLength(2)
  })

  const emails = ['one@beyond.example', 'two@beyond.example']
  once.it.each<[string, 'admin' | 'head' | 'unit', object]>([
    ['400 invalid_request emails', 'admin', {}],
    ['400 invalid_request emails', 'admin', { emails: [] }],
    ['400 invalid_request emails', 'admin', { emails: 'one@beyond.example' }],
    ['400 invalid_request emails.1', 'admin', { emails: [...emails.slice(1), 7] }],
    ['400 invalid_request emails.0', 'admin', { emails: [null] }],
    [
      '400 invalid_request emails',
      'admin',
      { emails: Array.from({ length: 201 }, (_, at) => `n${at}@x.example`) },
    ],
    ['400 invalid_request email', 'admin', { emails, email: 'ines@acme.example' }],
    ['400 invalid_request name', 'admin', { emails, name: 'Ines' }],
    ['400 invalid_request state', 'admin', { emails, state: 'accepted' }],
    [
      '400 invalid_request __proto__',
      'admin',
      JSON.parse('{"emails":["a@b.example"],"__proto__":{}}') as object,
    ],
    ['400 invalid_request profiles', 'admin', { emails, profiles: [importer(), importer()] }],
    ['400 invalid_request profiles.0.role_code', 'admin', { emails, profiles: [{ role_code: 'none' }] }],
    ['400 invalid_request client_id', 'admin', { emails, client_id: 'none-such' }],
    ['400 invalid_request client_id', 'admin', { emails, client_id: 'nightly-import' }],
    ['400 invalid_request profiles', 'head', { emails }],
    [
      '400 invalid_request profiles.0.organisation_uuid',
      'head',
      { emails, profiles: [importer({ organisation_uuid: globex })] },
    ],
    ['403 forbidden profiles.0.organisation_uuid', 'head', { emails, profiles: [importer({})] }],
    [
      '403 forbidden profiles.0.role_code',
      'head',
      { emails, profiles: [{ role_code: 'administrator', organisation_uuid: acme }] },
    ],
    [
      '403 forbidden profiles.1.role_code',
      'head',
      { emails, profiles: [...profiles, { role_code: 'reader', organisation_uuid: acme }] },
    ],
    [
      '400 invalid_request profiles.0.organisation_unit_uuid',
      'unit',
      { emails, profiles: [importer({ organisation_uuid: acme, organisation_unit_uuid: finance })] },
    ],
    ['400 invalid_request profiles.0.organisation_unit_uuid', 'unit', { emails, profiles }],
  ])('answer %s to the %s before any line', async (said, who, body) => {
    const by = { admin, head, unit: unitHead }[who]
    for (const query of ['', '?dry_run=true']) expect(await refusalBy(by, body, query, path)).toBe(said)
    expect(await invitationsOf(emails)).toEqual([])
  })

  once.it('need the permission to invite', async () => {
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    for (const query of ['', '?dry_run=true']) {
      const { status, json } = await onlooker.post(`${path}${query}`, { emails })
      expect([status, json.permission]).toEqual([403, 'iam.invitations.create'])
    }
  })

  once.it('want a recent sign-in where they give permissions of iam, which a dry run tells', async () => {
    const as = { changes: { client_id: 'admin-web', scope: 'openid service.api' } }
    const tokens = await tokensFor(tessera.url, people.admin, as)
    tessera.clock.advance(11 * 60_000)
    const renewed = await refresh(tessera.url, tokens.refresh_token, { client_id: 'admin-web' })
    const old = new Administrator(tessera.url, tokensOf(renewed).access_token ?? '')
    const grave = { emails: addresses(2), profiles: [{ role_code: 'administrator' }] }
    expect(problemOf(await old.post(path, grave))).toBe('401 insufficient_user_authentication')
    const { text } = await old.post(`${path}?dry_run=true`, grave)
    expect(toldBy(text).end).toMatchObject({ kind: 'done', invited: 2, sign_in_again: true })
    const plain = { emails: addresses(2), profiles }
    expect((await tried(old, plain)).end).toMatchObject({ sign_in_again: false })
    expect((await invite(old, plain)).end).toMatchObject({ invited: 2 })
  })

  once.it('stop with their connection, and go on with the rest', async () => {
    const emails = addresses(200)
    const stopping = new AbortController()
    const answer = await fetch(`${tessera.url}/admin/v1${path}`, {
      method: 'POST',
      signal: stopping.signal,
      headers: {
        authorization: `Bearer ${await tokenOf(tessera.url, 'admin-cli')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ emails, profiles }),
    })
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    await reader?.read()
    stopping.abort()
    await expect(reader?.read()).rejects.toThrow()
    const made = async () => (await invitationsOf(emails)).length
    let before = 0
    const isOver = async () => before === (before = await made()) && before > 0
    await expect.poll(isOver, { interval: 100 }).toBe(true)
    expect(before).toBeLessThan(200)
    expect(await trailOf(answer.headers.get('x-request-id') ?? '')).toHaveLength(before)
    const rest = await invite(admin, { emails, profiles })
    expect(rest.end).toMatchObject({ addresses: 200, invited: 200 - before, already: before })
  })
})

onOneDatabase('several invitations without mail', (dialect) => {
  const settings = { TESSERA_MODE: 'production', TESSERA_ISSUER: 'https://id.acme.example' }
  const tessera = administeredOn(dialect, settings)

  it('are refused with a clear word', async () => {
    const admin = await Administrator.machine(tessera.listening)
    for (const query of ['', '?dry_run=true']) {
      const answer = await admin.post(`${path}${query}`, { emails: ['one@acme.example', 'two@acme.example'] })
      expect(problemOf(answer)).toBe('409 conflict emails')
      expect(answer.text).toContain('No mail is sent here')
    }
    expect(await admin.all('/invitations')).toEqual([])
  })
})
