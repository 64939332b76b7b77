import { Button, Form, type FormPageProps } from './form.tsx'
import { Layout, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface RecoveryCodesPageProps extends FormPageProps {
  /** As people read them. */
  codes: readonly string[]
}

/** Shown once: it answers the form that made them, and no address leads here. */
export function recoveryCodesPage(props: RecoveryCodesPageProps): string {
  const { recoveryCodes: messages } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} here={undefined} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      <ol class="codes" aria-label={messages.list}>
        {props.codes.map((code) => (
          <li>{code}</li>
        ))}
      </ol>
      <Form {...props}>
        <div class="actions">
          <Button choice="saved">{messages.saved}</Button>
        </div>
      </Form>
    </Layout>,
  )
}
