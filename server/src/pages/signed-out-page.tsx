import { Layout, type PageProps, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export function signedOutPage(props: PageProps): string {
  const messages = messagesFor(props.locale).signedOut
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      <p class="note">{messages.shared}</p>
    </Layout>,
  )
}
