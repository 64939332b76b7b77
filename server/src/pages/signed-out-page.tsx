import { Layout, type PageProps, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface SignedOutPageProps extends PageProps {
  /** The address to sign in again: the application, or the account. */
  again: string
}

export function signedOutPage(props: SignedOutPageProps): string {
  const messages = messagesFor(props.locale).signedOut
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      <p>
        <a href={props.again}>{messages.again}</a>
      </p>
      <p class="note">{messages.shared}</p>
    </Layout>,
  )
}
