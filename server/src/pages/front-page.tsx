import { Detail, Details } from './details.tsx'
import { Layout, type PageProps, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface FrontPageProps extends PageProps {
  issuer: string
  /** The page where people sign in to see what they may open. */
  door: string
  /** The address of the console. Undefined: it is turned off. */
  console: string | undefined
  /** The address of the interface description. */
  description: string
}

/** What people see who open the issuer itself. */
export function frontPage(props: FrontPageProps): string {
  const { issuer, description, door, console } = props
  const { front: messages, account } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      <p>
        <a href={door}>{messages.signIn}</a>
      </p>
      {console && (
        <p>
          <a href={console}>{account.console.text}</a>
        </p>
      )}
      <Details id="developers" heading={messages.developers}>
        <Detail term={messages.issuer}>
          <code>{issuer}</code>
        </Detail>
        <Detail term={messages.description}>
          <a href={description}>{description}</a>
        </Detail>
        <Detail term={messages.discovery}>
          <a href={`${issuer}/.well-known/openid-configuration`}>{issuer}/.well-known/openid-configuration</a>
        </Detail>
      </Details>
    </Layout>,
  )
}
