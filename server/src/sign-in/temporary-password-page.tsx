import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { type NewPasswordError, NewPasswordFields } from './reset-page.tsx'

export interface TemporaryPasswordPageProps extends FormPageProps {
  clientName: string
  /** Characters that it needs. */
  least: number
  /** `same`: the one that somebody else has set. */
  error?: NewPasswordError | 'same' | undefined
}

/** Asks whoever signed in by a password that somebody else has set for one of their own. */
export function temporaryPasswordPage(props: TemporaryPasswordPageProps): string {
  const { locale, clientName, least, error } = props
  const { common, newPassword: messages, reset } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title} error={error !== undefined}>
      <h1>{messages.heading}</h1>
      <p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>
      <p>{messages.text}</p>
      <Form {...props}>
        <NewPasswordFields
          locale={locale}
          least={least}
          {...(error === 'same' ? { wrong: messages.same } : { error })}
        />
        <div class="actions">
          <Button>{reset.submit}</Button>
          <Button kind="secondary" choice="switch">
            {common.useAnotherAccount}
          </Button>
          <Button kind="quiet" choice="cancel">
            {common.cancel}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}
