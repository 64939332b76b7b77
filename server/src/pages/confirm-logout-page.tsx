import { Button, Form, type FormPageProps } from './form.tsx'
import { Layout, Name, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface ConfirmLogoutPageProps extends FormPageProps {
  hidden: Readonly<Record<string, string>>
  accountName: string
  clientName?: string | undefined
}

export function confirmLogoutPage(props: ConfirmLogoutPageProps): string {
  const { locale, accountName, clientName } = props
  const { common, confirmLogout: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>
      <p>{clientName ? messages.textClient(<Name>{clientName}</Name>) : messages.text}</p>
      <Form {...props}>
        <div class="actions actions-equal">
          <Button>{messages.submit}</Button>
          <Button kind="secondary" choice="stay">
            {messages.stay}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}
