import {
  type AddressMismatch,
  differenceText,
  mismatchCure,
  parameterOf,
  registering,
} from '../protocol/address-mismatch.ts'
import type { Situation } from '../protocol/errors.ts'
import { redirectPlace } from '../protocol/redirect-uri.ts'
import { Detail, Details } from './details.tsx'
import { Layout, Name, type PageProps, renderPage } from './layout.tsx'
import { errorDetail } from './messages/error-detail.ts'
import { entryOf, messagesFor } from './messages/index.ts'

export interface ErrorPageProps extends PageProps {
  /** The code, shown as it is. A known one brings its own words in the page's language. */
  error: string
  /** English, from the protocol; shown in the page's language. */
  description: string
  situation?: Situation | undefined
  mismatch?: AddressMismatch | undefined
  /** What operators alone are told stands on the page too. */
  development?: boolean
}

/** A link to the application; to the front page where a sign-in is over and the application's address is not known. */
function WayBack({ locale, application, error }: ErrorPageProps) {
  const { noProfile, account } = messagesFor(locale)
  const { name = '', address } = application ?? {}
  if (address === undefined && error !== 'request_expired') return null
  return (
    <p>
      <a href={address ?? '/'}>
        {address === undefined ? account.home.title : noProfile.continue(<Name>{name}</Name>)}
      </a>
    </p>
  )
}

/** What happened, and what to do: of the situation, or else of the code. */
function wordsOf({ locale, error, situation, application }: ErrorPageProps) {
  const { codes, situations, unknown } = messagesFor(locale).errorPage
  const words = entryOf(codes, error) ?? unknown
  if (application !== undefined && situation !== 'no_cookies' && error === 'request_expired') {
    const name = <Name>{application.name}</Name>
    const { signed_in: signedIn, start_again: startAgain } = situations
    return situation === 'signed_in'
      ? { ...signedIn, text: signedIn.text(name) }
      : { ...words, next: startAgain(name) }
  }
  return situation === undefined || situation === 'signed_in' ? words : situations[situation]
}

/** The host alone: the page is shown to strangers, and what a client has registered is not theirs to know. */
function ReturnAddress({ locale, mismatch, development }: ErrorPageProps) {
  if (mismatch === undefined) return null
  const place = placeOf(mismatch.came)
  return (
    <>
      {place && (
        <Detail term={messagesFor(locale).errorPage.returnAddress}>
          <code>{place}</code>
        </Detail>
      )}
      {development && <Mismatch {...mismatch} />}
    </>
  )
}

function placeOf(came: string | undefined): string | undefined {
  // A parser takes a backslash for a slash.
  if (came === undefined || came.includes('\\') || !URL.canParse(came)) return undefined
  return redirectPlace(came).slice(0, 100)
}

/** What differs, and how the address is registered, for the people who develop the application. */
function Mismatch(mismatch: AddressMismatch) {
  const { client_id, came, nearest, differsAt } = mismatch
  const command = registering(mismatch)
  return (
    <>
      <Detail term="client_id">
        <code>{client_id}</code>
      </Detail>
      {came && (
        <Detail term={parameterOf(mismatch.field)}>
          <Marked text={came} from={nearest === undefined ? came.length : differsAt} />
        </Detail>
      )}
      {nearest && (
        <Detail term="registered">
          <Marked text={nearest} from={differsAt} />
        </Detail>
      )}
      <Detail term="cure">{`${differenceText(mismatch)} ${mismatchCure(mismatch)}`}</Detail>
      {command && (
        <Detail term="command">
          <code>{command}</code>
        </Detail>
      )}
    </>
  )
}

const Marked = ({ text, from }: { text: string; from: number }) => (
  <code>
    {text.slice(0, from)}
    <mark>{text.slice(from)}</mark>
  </code>
)

export function errorPage(props: ErrorPageProps): string {
  const { locale, error, description } = props
  const messages = messagesFor(locale).errorPage
  const words = wordsOf(props)
  const detail = errorDetail(locale, description)
  return renderPage(
    <Layout {...props} title={words.heading} error={props.situation !== 'signed_in'} numbered>
      <h1>{words.heading}</h1>
      <p>{words.text}</p>
      {error === 'permission_missing' && detail && <p>{detail}</p>}
      <p>{words.next}</p>
      <WayBack {...props} />
      <Details id="technical" heading={messages.technical}>
        <Detail term={messages.code}>
          <code>{error}</code>
        </Detail>
        {detail && <Detail term={messages.description}>{detail}</Detail>}
        <ReturnAddress {...props} />
      </Details>
    </Layout>,
  )
}
