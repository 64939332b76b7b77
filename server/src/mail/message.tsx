import { raw } from 'hono/html'
import { asset } from '../pages/asset.ts'
import { renderPage } from '../pages/layout.tsx'
import { chooseLocale, type Locale } from '../pages/locale.ts'
import { withoutDeceiving } from '../protocol/characters.ts'
import type { MailData, MailKind, MailText } from './kinds.ts'
import { mailText } from './text.ts'
import { mailWords } from './words/index.ts'

/** The content that a mail is made from when it is sent; it is kept encrypted until then. */
export interface MailContent<K extends MailKind = MailKind> {
  kind: K
  data: MailData[K]
  /** The name and locale of the recipient. */
  name: string | undefined
  locale: string | null | undefined
  /** The path of the page that the link leads to, and the text of the link. */
  link: { path: string; text: string } | undefined
}

export interface Message {
  subject: string
  text: string
  html: string
}

const stylesheet = asset('mail/mail.css')

/** A mail in the recipient's language, as text and as HTML: no foreign image, and nothing that tells it was read. */
export function messageOf<K extends MailKind>(written: MailContent<K>, from: Sender): Message {
  const locale = chooseLocale({ userLocale: written.locale })
  const words = mailWords[locale]
  const parts: MailParts = {
    locale,
    ...mailText(words, written.kind, written.data, from.name),
    greeting: written.name === undefined ? undefined : words.greeting(plain(written.name)),
    link: written.link && `${from.issuer}${written.link.path}?link=${written.link.text}`,
    address: words.address,
    footer: words.footer(from.issuer),
    from: from.name,
  }
  return { subject: plain(parts.subject), text: textOf(parts), html: htmlOf(parts) }
}

interface Sender {
  /** What the service calls itself. */
  name: string
  issuer: string
}

interface MailParts extends MailText, Record<'address' | 'footer' | 'from', string> {
  locale: Locale
  greeting: string | undefined
  link: string | undefined
}

/** One line, without characters by which a name looks like another. */
const plain = (text: string) => withoutDeceiving(text).replaceAll(/\p{Cc}+/gu, ' ')

function textOf({
  heading,
  greeting,
  before,
  facts = [],
  code,
  button,
  link,
  after = [],
  footer,
}: MailParts) {
  const paragraphs = [
    heading,
    ...(greeting === undefined ? [] : [greeting]),
    ...before.map(plain),
    ...(facts.length === 0 ? [] : [facts.map(([term, value]) => `${term}: ${plain(value)}`).join('\n')]),
    ...(code === undefined ? [] : [code]),
    ...(link === undefined ? [] : [`${button}:\n${link}`]),
    ...after,
  ]
  return `${wrapped(paragraphs.join('\n\n'))}\n\n-- \n${footer}\n`
}

/** Lines of 76 characters at the most, for readers of text alone; an address stays whole. */
const wrapped = (text: string) => text.replaceAll(/(?=.{77})(.{1,76}) +/g, '$1\n')

function htmlOf(parts: MailParts): string {
  const { locale, subject, greeting, before, facts, code, after = [] } = parts
  return renderPage(
    <html lang={locale}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{plain(subject)}</title>
        <style>{raw(stylesheet)}</style>
      </head>
      <body>
        <table class="ground" role="presentation" width="100%" cellspacing="0" cellpadding="0">
          <tr>
            <td class="frame" align="center">
              <div class="column" align="left">
                <div class="brand">{parts.from}</div>
                <div class="card">
                  <h1>{plain(parts.heading)}</h1>
                  {greeting && <p>{greeting}</p>}
                  {before.map((one) => (
                    <p>{plain(one)}</p>
                  ))}
                  {facts && <Facts facts={facts} />}
                  {code && <p class="code">{code}</p>}
                  {parts.link && (
                    <p class="press">
                      <a class="button" href={parts.link}>
                        {parts.button}
                      </a>
                    </p>
                  )}
                  {after.map((one) => (
                    <p>{plain(one)}</p>
                  ))}
                  {parts.link && (
                    <p class="small">
                      {parts.address}
                      <br />
                      <a href={parts.link}>{parts.link}</a>
                    </p>
                  )}
                </div>
                <div class="footer">{parts.footer}</div>
              </div>
            </td>
          </tr>
        </table>
      </body>
    </html>,
  )
}

function Facts({ facts }: { facts: NonNullable<MailText['facts']> }) {
  return (
    <table class="facts">
      {facts.map(([term, value]) => (
        <tr>
          <th scope="row">{term}</th>
          <td>{plain(value)}</td>
        </tr>
      ))}
    </table>
  )
}
