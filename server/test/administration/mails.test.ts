/** The outbox of mails by the administration API. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { runHere, ways } from '../cli/command-support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { MailServer, trustMailServer } from '../harness/mail-server.ts'
import { auditOf, mailsTo, postMail, withdrawMailedLink } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { Administrator, problemOf, startAdministered } from './support.ts'

// The look for what is due.
shortenTimers({ 500: 50 })

const hour = 3_600_000
const link = { path: '/sign-in/reset', purpose: 'password_reset' } as const

beforeAll(trustMailServer)

onEachDatabase('mails', (dialect) => {
  const server = new MailServer()
  let tessera: Tessera
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    await server.listen()
    tessera = await startAdministered(dialect, {
      TESSERA_MAIL_URL: server.url,
      TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>',
    })
    tessera.clock.stop()
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })
  beforeEach(() => {
    server.behaviour = 'refuse'
  })
  afterAll(async () => {
    await tessera.close()
    await server.close()
  })

  const becomes = (to: string, expected: object) =>
    vi.waitFor(async () => expect((await mailsTo(tessera, to))[0]).toMatchObject(expected), {
      timeout: 60_000,
      interval: 25,
    })
  /** A mail that the server refused for good; yields its id. */
  async function dead(to: string, user_uuid?: string): Promise<string> {
    // Ids of one millisecond have no order.
    tessera.clock.advance(1)
    const now = tessera.clock.now()
    const mail = { kind: 'password_reset', data: { minutes: 30 }, locale: 'en', link, now } as const
    await postMail(tessera, {
      ...mail,
      to: { address: to, name: 'Mia Sand' },
      user_uuid,
      expiresAt: now + hour,
    })
    await becomes(to, { state: 'dead' })
    const [row] = await mailsTo(tessera, to)
    return row?.id ?? ''
  }
  const replay = (id: string, by = admin) => by.post(`/mails/${id}/replay`, {})

  it('are for nobody who administers less than the installation', async () => {
    const id = await dead('reach@acme.example')
    expect(problemOf(await own.get('/mails'))).toBe('403 forbidden')
    expect(problemOf(await own.get(`/mails/${id}`))).toBe('403 forbidden')
    expect(problemOf(await replay(id, own))).toBe('403 forbidden')
    expect(await mailsTo(tessera, 'reach@acme.example')).toMatchObject([{ state: 'dead' }])
    expect(await auditOf(tessera, { kind: 'mail.replayed' })).toEqual([])
  })

  it('are not sent again when they are not there, expired, at an address from before, or their link ended', async () => {
    expect(problemOf(await replay('0'.repeat(32)))).toBe('404 not_found')
    expect(problemOf(await replay('x'))).toBe('404 not_found')
    expect(problemOf(await admin.get(`/mails/${'0'.repeat(32)}`))).toBe('404 not_found')
    const ended = await dead('ended@acme.example')
    await withdrawMailedLink(tessera, 'password_reset', 'ended@acme.example')
    expect(problemOf(await replay(ended))).toBe('409 conflict')
    const { uuid } = ((await admin.get('/users?limit=1')).json.items as { uuid: string }[])[0] ?? { uuid: '' }
    expect(problemOf(await replay(await dead('before@acme.example', uuid)))).toBe('409 conflict')
    const expired = await dead('expired@acme.example')
    tessera.clock.advance(hour)
    const late = await Administrator.machine(tessera.url)
    expect(problemOf(await replay(expired, late))).toBe('409 conflict')
    admin = late
    expect(server.to('expired@acme.example')).toEqual([])
  })

  it('are tried with a test, by who administers the installation, which is recorded', async () => {
    const recipient = 'tried@acme.example'
    const test = (by: Administrator, body: object = { recipient }) => by.post('/mails/test', body)
    const head = await Administrator.machine(tessera.url, 'acme-cli')
    expect(problemOf(await test(head))).toBe('403 forbidden')
    expect(problemOf(await head.get('/mail-server'))).toBe('403 forbidden')
    expect(problemOf(await test(admin, { recipient: 'nowhere' }))).toBe('400 invalid_request recipient')
    expect(problemOf(await test(admin, {}))).toBe('400 invalid_request recipient')
    expect(await mailsTo(tessera, recipient)).toEqual([])

    expect((await admin.get('/mail-server')).json).toEqual({
      sends: 'to_server',
      from: 'Acme <no-reply@acme.example>',
      reply_to: null,
    })
    server.behaviour = 'accept'
    const { status, json } = await test(admin)
    expect([status, json.kind, json.state]).toEqual([201, 'test', 'waiting'])
    await becomes(recipient, { state: 'sent' })
    expect(server.to(recipient)).toHaveLength(1)
    const target = { kind: 'mail', id: json.id }
    expect(await auditOf(tessera, { kind: 'mail.tested' })).toMatchObject([{ target }])
    for (let sent = 1; sent < 20; sent += 1) expect((await test(admin)).status).toBe(201)
    expect(problemOf(await test(admin))).toBe('409 conflict')
    // A dry run sends nothing.
    const tried = { recipient: 'untried@acme.example' }
    expect((await admin.post('/mails/test?dry_run=true', tried)).status).toBe(200)
    expect(await mailsTo(tessera, tried.recipient)).toEqual([])
    const by = (environment: Record<string, string>, ...words: string[]) =>
      runHere(['mail', ...words], { environment, now: tessera.clock.now() })
    const to = 'by-command@acme.example'
    expect(JSON.parse((await by(ways.http(tessera), 'server', '--json')).stdout).sends).toBe('to_server')
    expect((await by(ways.http(tessera), 'send-test', to)).stderr).toBe('')
    await becomes(to, { state: 'sent', kind: 'test' })
    // The command on the database has no mail server of its own here.
    expect((await by(ways.database(tessera), 'server')).stdout).toContain('nothing')
    expect((await by(ways.database(tessera), 'send-test', to)).stderr).toContain('TESSERA_MAIL_URL')
    expect(await mailsTo(tessera, to)).toHaveLength(1)
  })

  it('are listed without what they say, and dead ones sent again to the same recipient', async () => {
    const to = 'again@acme.example'
    const id = await dead(to)
    const { text, json } = await admin.get('/mails?state=dead&limit=1')
    expect(json.items).toEqual([
      {
        id,
        kind: 'password_reset',
        recipient: to,
        user_uuid: null,
        state: 'dead',
        attempts: 1,
        next_at: null,
        created_at: expect.any(String),
        expires_at: expect.any(String),
        ended_at: expect.any(String),
        error: expect.stringContaining('550'),
      },
    ])
    expect(text).not.toMatch(/Mia|v1\.|link/)
    expect((await admin.get(`/mails/${id}`)).json).toEqual((json.items as object[])[0])
    for (const way of [ways.database, ways.http]) {
      const here = { environment: way(tessera), now: tessera.clock.now() }
      const shown = await runHere(['mail', 'show', id, '--json'], here)
      expect([shown.stderr, JSON.parse(shown.stdout)]).toEqual(['', (json.items as object[])[0]])
      expect((await runHere(['mail', 'list', '--recipient', to], here)).stdout).toContain(id)
    }
    const idsOf = async (query: string) =>
      ((await admin.get(`/mails?${query}`)).json.items as { id: string }[]).map((one) => one.id)
    expect(await idsOf(`recipient=${to.toUpperCase()}`)).toEqual([id])
    expect(await idsOf('kind=password_reset&limit=1')).toEqual([id])
    expect(await idsOf('kind=notice')).toEqual([])
    expect(await idsOf(`state=sent&recipient=${to}`)).toEqual([])
    const older = (await admin.get(`/mails?cursor=${String(json.next_cursor)}`)).json.items as {
      id: string
    }[]
    expect(older.map((one) => one.id)).not.toContain(id)
    expect(older.length).toBeGreaterThan(0)

    server.behaviour = 'accept'
    expect(await replay(id)).toMatchObject({ status: 201, json: { id, state: 'waiting', attempts: 0 } })
    const [mail] = await server.got(to)
    expect(mail.headers['message-id']).toBe(`<${id}@localhost>`)
    await becomes(to, { state: 'sent', body: null, attempts: 1 })
    expect(problemOf(await replay(id))).toBe('409 conflict')
    const here = { environment: ways.database(tessera), now: tessera.clock.now() }
    expect(await runHere(['mail', 'replay', id], here)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The mail is sent: only a dead one is sent again.'),
    })
    expect(await auditOf(tessera, { kind: 'mail.replayed', target: id })).toMatchObject([
      { actor: { id: 'admin-cli' }, detail: { kind: 'password_reset' } },
    ])
  })
})
