import type { Child } from 'hono/jsx'
import { Layout, renderPage } from './layout.tsx'
import type { Locale } from './locale.ts'
import { type Messages, messagesFor } from './messages/index.ts'

export interface ErrorPageProps {
  locale: Locale
  requestId: string
  /** The code, shown as it is. A known one brings its own words in the page's language. */
  error: string
  /** English, from the protocol. */
  description: string
  /** Stand in place of the words for the code. English, as far as the code that throws is concerned. */
  title?: string | undefined
  hint?: string | undefined
  /** What a developer wants to see, such as the redirect_uri that was sent. */
  details?: Readonly<Record<string, string>> | undefined
}

export function errorPage(props: ErrorPageProps): string {
  const { locale, requestId, error, description, title, hint } = props
  const messages = messagesFor(locale).errorPage
  const known = wordsFor(messages, error)
  const words = known ?? messages.unknown
  const english = locale === 'en' ? undefined : 'en'
  return renderPage(
    <Layout locale={locale} requestId={requestId} title={title ?? words.heading} error>
      <h1 lang={title ? english : undefined}>{title ?? words.heading}</h1>
      <p>{words.text}</p>
      <p lang={hint ? english : undefined}>{hint ?? words.next}</p>
      <section class="technical" aria-labelledby="technical">
        <h2 id="technical">{messages.technical}</h2>
        <dl>
          <Detail term={messages.code}>
            <code>{error}</code>
          </Detail>
          <Detail term={messages.description}>
            <span lang={english}>{description}</span>
          </Detail>
          {Object.entries(props.details ?? {}).map(([term, value]) => (
            <Detail term={term}>
              <code>
                <bdi>{value}</bdi>
              </code>
            </Detail>
          ))}
        </dl>
      </section>
    </Layout>,
  )
}

function Detail({ term, children }: { term: string; children: Child }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

type Codes = Messages['errorPage']['codes']

function wordsFor(messages: Messages['errorPage'], error: string): Codes[keyof Codes] | undefined {
  return isKnown(messages.codes, error) ? messages.codes[error] : undefined
}

function isKnown(codes: Codes, error: string): error is keyof Codes {
  return Object.hasOwn(codes, error)
}
