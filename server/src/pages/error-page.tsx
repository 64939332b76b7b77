import { Detail, Details } from './details.tsx'
import { Layout, Name, type PageProps, renderPage } from './layout.tsx'
import { entryOf, messagesFor } from './messages/index.ts'

export interface ErrorPageProps extends PageProps {
  /** The code, shown as it is. A known one brings its own words in the page's language. */
  error: string
  /** English, from the protocol. */
  description: string
  /** Instead of the words for the code; English. */
  title?: string | undefined
  hint?: string | undefined
  /** What a developer wants to see, such as the redirect_uri that was sent. */
  details?: Readonly<Record<string, string>> | undefined
}

export function errorPage(props: ErrorPageProps): string {
  const { locale, error, description, title, hint } = props
  const messages = messagesFor(locale).errorPage
  const words = entryOf(messages.codes, error) ?? messages.unknown
  const english = locale === 'en' ? undefined : 'en'
  return renderPage(
    <Layout {...props} title={title ?? words.heading} error numbered>
      <h1 lang={title ? english : undefined}>{title ?? words.heading}</h1>
      <p>{words.text}</p>
      <p lang={hint ? english : undefined}>{hint ?? words.next}</p>
      {props.application && (
        <p>
          <a href={props.application.address}>
            {messagesFor(locale).noProfile.continue(<Name>{props.application.name}</Name>)}
          </a>
        </p>
      )}
      <Details id="technical" heading={messages.technical}>
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
      </Details>
    </Layout>,
  )
}
