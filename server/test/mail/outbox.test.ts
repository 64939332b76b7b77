import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { openStore } from '../harness/stores.ts'
import type { NoticeFact } from '../../dist/mail/kinds.js'
import { claimMail } from '../../dist/mail/outbox.js'
import { users as people } from '../administration/support.ts'
import { onBothDatabases, oneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { MailServer, trustMailServer } from '../harness/mail-server.ts'
import { auditOf, mailsTo, postBeyond, postMail, withdrawMailedLink } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for what is due, and the end of an attempt to connect.
shortenTimers({ 500: 50 })

const hour = 3_600_000
const link = { path: '/reset', purpose: 'password_reset' } as const
let number = 0

beforeAll(trustMailServer)

onBothDatabases('mail', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  const server = new MailServer()
  beforeAll(async () => {
    await server.listen()
    tessera = await startTessera(dialect, {
      settings: {
        TESSERA_MAIL_URL: server.url,
        TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>',
        TESSERA_MAIL_REPLY_TO: 'Help desk <help@acme.example>',
      },
    })
    tessera.clock.stop()
  })
  afterEach(async () => {
    server.behaviour = 'accept'
    server.release()
  })
  afterAll(async () => {
    await tessera.close()
    await server.close()
  })

  /** Posts a mail to a new address, and yields that. */
  const posted = async (more: { name?: string; locale?: string; lives?: number; to?: string } = {}) => {
    const {
      name = 'Mia Sand',
      locale,
      lives = hour,
      to = `person-${dialect}-${++number}@acme.example`,
    } = more
    // Ids of one millisecond have no order.
    tessera.clock.advance(1)
    const now = tessera.clock.now()
    const mail = { kind: 'password_reset', data: { minutes: 30 }, locale, link, now } as const
    const put = await postMail(tessera, { ...mail, to: { address: to, name }, expiresAt: now + lives })
    return { to, put }
  }
  const rowOf = async (to: string) => {
    const [row] = await mailsTo(tessera, to)
    if (row === undefined) throw new Error(`There is no mail to ${to}.`)
    return row
  }
  const becomes = (to: string, expected: object) =>
    vi.waitFor(async () => expect(await rowOf(to)).toMatchObject(expected), { timeout: 60_000, interval: 25 })
  /** Once the first attempt has ended: the next one is counted from then. */
  const failsOnce = (to: string, error = '') =>
    becomes(to, { state: 'waiting', attempts: 1, error: expect.stringContaining(error) })
  const again = async (how?: 'plain' | 'strange' | 'broken') => {
    await server.close()
    await server.listen(how)
  }

  onOne.it(
    'arrives over TLS, as text and HTML, with a link of the issuer and nothing from elsewhere',
    async () => {
      const { to } = await posted()
      const [mail] = await server.got(to)
      expect(mail).toMatchObject({ secure: true, user: 'tessera' })
      const { id } = await rowOf(to)
      expect(mail.headers).toMatchObject({
        from: 'Acme <no-reply@acme.example>',
        'reply-to': 'Help desk <help@acme.example>',
        to: `Mia Sand <${to}>`,
        subject: 'Set a new password',
        'auto-submitted': 'auto-generated',
        'message-id': `<${id}@localhost>`,
      })
      const address = `${tessera.url}/reset?link=`
      expect(mail.text).toContain(address)
      expect(mail.html).toContain(`href="${address}`)
      expect(mail.html).toContain('color-scheme')
      for (const { text } of [mail, { text: mail.html }])
        for (const [found] of text.matchAll(/https?:\/\/[^\s"<]+/g)) expect(found).toMatch(tessera.url)
      expect(mail.html).not.toMatch(/<img|src=|url\(|<script/)
      await becomes(to, { state: 'sent', body: null, attempts: 1, error: null })
    },
  )

  onOne.it('is written in the language of the person', async () => {
    const greetings = { 'de-AT': 'Guten Tag Mia Sand,', pl: 'Dzień dobry, Mia Sand,', ja: 'Hello Mia Sand,' }
    for (const [locale, greeting] of Object.entries(greetings)) {
      const { to } = await posted({ locale })
      const [mail] = await server.got(to)
      expect(mail.text).toContain(greeting)
      expect(mail.html).toContain(`<html lang="${locale === 'ja' ? 'en' : locale.slice(0, 2)}">`)
    }
  })

  onOne.it('goes to one person, whatever their name holds', async () => {
    const name = 'x\r\nBcc: thief@evil.example\r\n, <thief@evil.example> <b>"'
    const { to } = await posted({ name })
    const [mail] = await server.got(to)
    expect(Object.keys(mail.headers)).not.toContain('bcc')
    expect(mail.html).not.toContain('<b>')
    expect(server.arrived.filter((one) => one.to.includes('thief'))).toEqual([])
  })

  it('waits for a server that is down, and is sent once when it is there again', async () => {
    await server.close()
    const { to } = await posted()
    await failsOnce(to, 'ECONNREFUSED')
    const { body } = await rowOf(to)
    expect(body).not.toContain('Mia Sand')
    await server.listen()
    tessera.clock.advance(5001)
    await server.got(to)
    await becomes(to, { state: 'sent', attempts: 2 })
    expect(server.to(to)).toHaveLength(1)
  })

  onOne.it.each(['plain', 'strange', 'broken'] as const)(
    'never goes without TLS to a server that it knows: %s',
    async (how) => {
      await again(how)
      server.seen = []
      const { to } = await posted()
      await failsOnce(to)
      expect(server.seen).toEqual([])
      expect(server.to(to)).toEqual([])
      await again()
      tessera.clock.advance(5001)
      await server.got(to)
    },
  )

  it('is tried again with the same Message-ID when the server says it is busy, or nothing', async () => {
    server.behaviour = 'defer'
    const deferred = await posted()
    await failsOnce(deferred.to, '451')
    server.behaviour = 'drop'
    const dropped = await posted()
    await failsOnce(dropped.to)
    server.behaviour = 'accept'
    tessera.clock.advance(5001)
    await server.got(deferred.to)
    const [first, second] = await server.got(dropped.to, 2)
    expect(second?.headers['message-id']).toBe(first.headers['message-id'])
    await becomes(dropped.to, { state: 'sent' })
  })

  it('is dead at once when the server refuses the recipient, and the audit says so without the address', async () => {
    server.behaviour = 'refuse'
    const { to } = await posted()
    await becomes(to, { state: 'dead', attempts: 1, error: expect.stringContaining('550') })
    const { id } = await rowOf(to)
    const [told] = await auditOf(tessera, { kind: 'mail.dead', target: id })
    expect(told).toMatchObject({ detail: { kind: 'password_reset', reason: 'refused' } })
    expect(JSON.stringify(told)).not.toContain(to)
  })

  it('is never sent after its link ended', async () => {
    server.behaviour = 'defer'
    const { to } = await posted()
    await failsOnce(to)
    await withdrawMailedLink(tessera, 'password_reset', to)
    server.behaviour = 'accept'
    tessera.clock.advance(5001)
    await becomes(to, { state: 'dead', body: null })
    // A newer link takes the place of the one before.
    server.behaviour = 'defer'
    const older = await posted()
    await failsOnce(older.to)
    server.behaviour = 'accept'
    await posted({ to: older.to })
    await server.got(older.to)
    tessera.clock.advance(5001)
    await becomes(older.to, { state: 'dead', body: null })
    expect(server.to(older.to)).toHaveLength(1)
    expect(server.to(to)).toEqual([])
  })

  it('is given up when it expires, and what it says is forgotten', async () => {
    server.behaviour = 'defer'
    const { to } = await posted({ lives: 10_000 })
    await failsOnce(to)
    tessera.clock.advance(10_001)
    await becomes(to, { state: 'dead', body: null })
    const { id } = await rowOf(to)
    const [told] = await auditOf(tessera, { kind: 'mail.dead', target: id })
    expect(told).toMatchObject({ detail: { reason: 'expired' } })
  })

  onOne.it('holds up no request while a server is slow', async () => {
    server.behaviour = 'hold'
    const { to } = await posted()
    await server.got(to)
    expect((await fetch(`${tessera.url}/health/ready`)).status).toBe(200)
    expect(await rowOf(to)).toMatchObject({ state: 'waiting' })
    server.behaviour = 'accept'
    server.release()
    await becomes(to, { state: 'sent', attempts: 1 })
    expect(server.to(to)).toHaveLength(1)
  })

  it('is twenty of a kind to one recipient in a day, however the address is written', async () => {
    const to = `many-${dialect}@acme.example`
    for (let count = 0; count < 20; count++) {
      expect(await posted({ to: count % 2 === 0 ? to : to.toUpperCase() })).toMatchObject({ put: true })
    }
    expect(await posted({ to })).toMatchObject({ put: false })
    tessera.clock.advance(24 * hour + 1)
    expect(await posted({ to })).toMatchObject({ put: true })
  })

  it('tells notices beyond that together: of fifty, sign-ins give way, and anything else begins another', async () => {
    const [to, other] = [`beyond-${dialect}@acme.example`, `beyond-other-${dialect}@acme.example`]
    const now = tessera.clock.now()
    const tell = async (all: readonly NoticeFact[], address = to) => {
      // Ids of one millisecond have no order.
      tessera.clock.advance(1)
      await postBeyond(tessera, { address, user_uuid: people.importer, all, now: tessera.clock.now() })
    }
    const made = (from: number, count: number): NoticeFact[] =>
      Array.from({ length: count }, (_, index) => {
        return { event: 'factor_created', at: now, zone: 'UTC', name: `Key ${from + index}.` }
      })
    const signIns = (count: number): NoticeFact[] =>
      Array.from({ length: count }, () => ({ event: 'new_device', at: now, zone: 'UTC' }))
    const namesIn = (text: string) => [...text.matchAll(/“Key\s(\d+)\.”/g)].map(([, one]) => Number(one))
    const signInsIn = (text: string) => text.match(/UTC:\sSomebody\ssigned/g)?.length

    await tell([...made(1, 30), ...signIns(60), ...made(31, 10)])
    await tell(made(100, 1), other)
    await tell(signIns(1))
    expect(await mailsTo(tessera, to)).toHaveLength(1)
    await tell([...made(41, 10), ...made(51, 1)])
    await tell(signIns(1))
    expect(await mailsTo(tessera, to)).toHaveLength(2)
    expect(server.to(to)).toEqual([])
    tessera.clock.advance(hour + 1)
    const texts = (await server.got(to, 2)).map(({ text }) => text).toSorted((a, b) => b.length - a.length)
    expect(texts.map((text) => namesIn(text))).toEqual([
      Array.from({ length: 50 }, (_, one) => one + 1),
      [51],
    ])
    expect(texts.map((text) => signInsIn(text))).toEqual([undefined, 1])
    const [apart] = await server.got(other)
    expect(namesIn(apart.text)).toEqual([100])
    // What comes later is told by another, and each leads to a link of its own.
    await tell(made(60, 1))
    tessera.clock.advance(hour + 1)
    const all = (await server.got(to, 3)).map(({ text }) => /link=([\w-]{43})/.exec(text)?.[1])
    expect(new Set(all).size).toBe(3)
  })

  it('is claimed by one of several processes', async () => {
    await server.close()
    const { to } = await posted()
    await failsOnce(to)
    const stores = [await openStore(tessera.databaseUrl), await openStore(tessera.databaseUrl)]
    const now = tessera.clock.now() + 2 * hour
    // Later than any delay, and not yet claimed again by the service, whose clock stands.
    const claims = await Promise.all(
      [...stores, ...stores].map((store) => claimMail(store, { now, until: now + hour })),
    )
    const { id } = await rowOf(to)
    expect(claims.filter((one) => one?.id === id)).toHaveLength(1)
    for (const store of stores) await store.close()
    await server.listen()
  })
})
