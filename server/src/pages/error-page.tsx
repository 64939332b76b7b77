import { Detail, Details } from './details.tsx'
import { Layout, Name, type PageProps, renderPage } from './layout.tsx'
import { errorDetail } from './messages/error-detail.ts'
import { entryOf, messagesFor } from './messages/index.ts'

export interface ErrorPageProps extends PageProps {
  /** The code, shown as it is. A known one brings its own words in the page's language. */
  error: string
  /** English, from the protocol; shown in the page's language. */
  description: string
}

/** To the application; from a sign-in that is over, whose application is not known, to the front page. */
function WayBack({ locale, application, error }: ErrorPageProps) {
  const { noProfile, account } = messagesFor(locale)
  if (application === undefined && error !== 'request_expired') return null
  return (
    <p>
      <a href={application?.address ?? '/'}>
        {application ? noProfile.continue(<Name>{application.name}</Name>) : account.home.title}
      </a>
    </p>
  )
}

export function errorPage(props: ErrorPageProps): string {
  const { locale, error, description } = props
  const messages = messagesFor(locale).errorPage
  const words = entryOf(messages.codes, error) ?? messages.unknown
  const detail = errorDetail(locale, description)
  return renderPage(
    <Layout {...props} title={words.heading} error numbered>
      <h1>{words.heading}</h1>
      <p>{words.text}</p>
      <p>{words.next}</p>
      <WayBack {...props} />
      <Details id="technical" heading={messages.technical}>
        <Detail term={messages.code}>
          <code>{error}</code>
        </Detail>
        {detail && <Detail term={messages.description}>{detail}</Detail>}
      </Details>
    </Layout>,
  )
}
