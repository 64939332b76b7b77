import { Button, Form } from './form.tsx'
import { Layout, Name, renderPage } from './layout.tsx'
import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'

export interface NoProfilePageProps {
  locale: Locale
  requestId: string
  action: string
  csrf: string
  accountName: string
  clientName: string
}

export function noProfilePage(props: NoProfilePageProps): string {
  const { locale, requestId, accountName, clientName } = props
  const { common, noProfile: messages } = messagesFor(locale)
  return renderPage(
    <Layout locale={locale} requestId={requestId} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text(<Name>{accountName}</Name>, <Name>{clientName}</Name>)}</p>
      <p>{messages.ask}</p>
      <Form action={props.action} csrf={props.csrf}>
        <div class="actions">
          <Button choice="continue">{messages.continue(<Name>{clientName}</Name>)}</Button>
          <Button kind="secondary" choice="switch">
            {common.useAnotherAccount}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}
