import { Button, Form } from './form.tsx'
import { Layout, Name, renderPage } from './layout.tsx'
import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'

export interface ConfirmLogoutPageProps {
  locale: Locale
  requestId: string
  action: string
  csrf: string
  hidden: Readonly<Record<string, string>>
  accountName: string
  clientName?: string | undefined
}

export function confirmLogoutPage(props: ConfirmLogoutPageProps): string {
  const { locale, requestId, accountName, clientName } = props
  const { common, confirmLogout: messages } = messagesFor(locale)
  return renderPage(
    <Layout locale={locale} requestId={requestId} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>
      <p>{clientName ? messages.textClient(<Name>{clientName}</Name>) : messages.text}</p>
      <Form action={props.action} csrf={props.csrf} hidden={props.hidden}>
        <div class="actions">
          <Button>{messages.submit}</Button>
        </div>
      </Form>
      <p class="note">{messages.stay}</p>
    </Layout>,
  )
}
