import { Alert, Checkbox, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'

export type AddKeyError = 'wrong'

export interface AddKeyPageProps extends FormPageProps {
  /** Where options come from. */
  from: string
  error?: AddKeyError | undefined
}

/** A passkey or security key is set up of one's own accord. */
export function addKeyPage(props: AddKeyPageProps): string {
  const { locale, from, error } = props
  const { enrolKey: messages, accountSignIn } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title} error={error !== undefined}>
      <h1>{messages.title}</h1>
      {error && (
        <Alert id="problem" focus>
          {messages.wrong}
        </Alert>
      )}
      <p>{messages.passkeyText}</p>
      <p>{messages.securityKeyText}</p>
      <Form {...props} hidden={{ do: 'key' }}>
        <Checkbox name="elsewhere">{accountSignIn.elsewhere}</Checkbox>
        <div class="actions">
          <Passkeys from={from} failed={messages.failed} taken={messages.taken} needs={messages.needs}>
            <AskButton purpose="passkey" kind="primary">
              {messages.passkey}
            </AskButton>
            <AskButton purpose="security_key">{messages.securityKey}</AskButton>
          </Passkeys>
        </div>
      </Form>
      <p class="note">
        <a href={props.action}>{accountSignIn.back}</a>
      </p>
    </Layout>,
  )
}
