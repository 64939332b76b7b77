import { Button, Form, type FormPageProps } from './form.tsx'
import { Layout, type PageProps, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export type RecoveryCodesPageProps = CodesProps & (FormPageProps | (PageProps & { next: string }))

interface CodesProps {
  /** The codes in the form that people read. */
  codes: readonly string[]
}

/** Shown once: it answers the form that made them, and no address leads here. `next`: where it goes on without a form. */
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
      {'next' in props ? (
        <p class="actions">
          <a class="button button-primary" href={props.next}>
            {messages.saved}
          </a>
        </p>
      ) : (
        <Form {...props}>
          <div class="actions">
            <Button choice="saved">{messages.saved}</Button>
          </div>
        </Form>
      )}
    </Layout>,
  )
}
