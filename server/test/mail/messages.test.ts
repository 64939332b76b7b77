/** What mails say: each kind in each language, as text and as HTML. */
import { describe, expect, it } from 'vitest'
import { type MailData, noticeEvents, type NoticeFact } from '../../dist/mail/kinds.js'
import { messageOf, type MailContent } from '../../dist/mail/message.js'
import { locales } from '../../dist/pages/messages/index.js'

const issuer = 'https://id.acme.example'
const link = { path: '/account/not-me', text: 'q3n0Zp1Wn5k8Yt2Rb7Lx4Vd6Hc9Ms0Jf1Gu3Ea5Oi7' }
const told: NoticeFact = {
  event: 'new_device',
  at: Date.UTC(2026, 10, 23, 16, 4, 5),
  zone: 'Europe/Berlin',
  name: 'm•••@other.example',
  browser: 'Firefox, Linux',
  address: '203.0.113.7',
  application: 'Submissions',
}
/** What each kind is made of; every value must be read in the mail. */
const data: { [K in keyof MailData]: MailData[K] } = {
  test: { at: told.at },
  password_reset: { minutes: 37 },
  recovery: { minutes: 37 },
  invitation: { inviter: 'Jo Walker', to: 'Submissions', days: 37 },
  enrolment_code: { code: '4821 0937', minutes: 37 },
  guest_code: { code: '4821 0937', minutes: 37, name: 'Acme ID' },
  address_confirmation: { hours: 37 },
  address_taken: {},
  notice: { ...told, days: 37 },
  notices: { told: noticeEvents.map((event) => ({ ...told, event, address: undefined })), days: 37 },
}
const withoutLink = ['test', 'enrolment_code', 'guest_code', 'address_taken']
const kinds = [
  ...Object.entries(data).map(([kind, given]) => [kind, kind, given] as const),
  ...noticeEvents.flatMap((event) =>
    [false, true].map((byAdministrator) => {
      const which = `${event}${byAdministrator ? ' by an administrator' : ''}`
      return [which, 'notice', { ...told, event, byAdministrator, days: 37 }] as const
    }),
  ),
]
const written = (kind: string, given: object, locale: string) =>
  messageOf(
    {
      kind,
      data: given,
      name: 'Mia Sand',
      locale,
      link: withoutLink.includes(kind) ? undefined : link,
    } as MailContent,
    { name: 'Acme', issuer },
  )
const address = `${issuer}${link.path}?link=${link.text}`

describe.each(kinds)('a mail: %s', (_, kind, given) => {
  it.each(locales)('has every word in %s, and leads to the issuer alone', (locale) => {
    const { subject, text, html } = written(kind, given, locale)
    for (const part of [subject, text, html]) {
      expect(part.trim()).not.toBe('')
      expect(part).not.toMatch(/\b(undefined|null|NaN|Invalid Date)\b|\[object|\$\{/)
    }
    expect(subject).not.toMatch(/[\r\n]/)
    expect(html).toContain(`<html lang="${locale}">`)
    expect(html).not.toMatch(/<img|<script|<link|<iframe|src=|url\(|@import|javascript:/i)
    for (const part of [text, html])
      for (const [found] of part.matchAll(/\b[a-z]+:\/\/[^\s"<]+/g))
        expect(found.startsWith(issuer)).toBe(true)
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, to]) => to)
    expect(links).toEqual(withoutLink.includes(kind) ? [] : [address, address])
    for (const shown of ['37', 'Jo Walker', '4821 0937', '203.0.113.7'])
      if (JSON.stringify(given).includes(shown))
        expect([text, html].every((one) => one.includes(shown))).toBe(true)
  })

  it.each(locales)('is read as text in %s: short lines, and the link on one of its own', (locale) => {
    const lines = written(kind, given, locale).text.split('\n')
    expect(lines.filter((line) => line.length > 76 && line !== address)).toEqual([])
    expect(lines.filter((line) => line.includes('?link='))).toEqual(
      withoutLink.includes(kind) ? [] : [address],
    )
    // After the line that says who sent it; a mark of signatures (RFC 3676 §4.3).
    expect(lines.indexOf('-- ')).toBe(lines.length - 3)
  })

  it('says nothing in one language that it says in another', () => {
    const texts = locales.map((locale) => written(kind, given, locale))
    for (const { subject, text } of texts) {
      expect(texts.filter((one) => one.text === text)).toHaveLength(1)
      const body = text.split('\n\n')[2]
      expect(
        texts.filter((one) => one.text.includes(body ?? '')),
        `${subject}: ${body}`,
      ).toHaveLength(1)
    }
  })
})
