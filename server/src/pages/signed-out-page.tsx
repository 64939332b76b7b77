import { Layout, renderPage } from './layout.tsx'
import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'

export interface SignedOutPageProps {
  locale: Locale
  requestId: string
}

export function signedOutPage({ locale, requestId }: SignedOutPageProps): string {
  const messages = messagesFor(locale).signedOut
  return renderPage(
    <Layout locale={locale} requestId={requestId} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      <p class="note">{messages.shared}</p>
    </Layout>,
  )
}
