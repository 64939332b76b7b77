import { PasswordField } from '../pages/controls.tsx'
import { Alert, Button, Form, type FormPageProps, TextField } from '../pages/form.tsx'
import { Layout, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'
import type { ProofError, Stale } from './fresh-proof.ts'

export interface ProvePageProps extends FormPageProps {
  /** The form that goes on once this is proved. */
  hidden: Readonly<Record<string, string>>
  stale: readonly Stale[]
  /** Where options for passkeys and security keys come from. */
  keysFrom: string
  error?: ProofError | undefined
}

/** Asks for a fresh proof and keeps the form that wanted it. */
export function provePage(props: ProvePageProps): string {
  const { locale, stale, keysFrom, error } = props
  const { accountSignIn: messages, secondFactor } = messagesFor(locale)
  const alert =
    typeof error === 'object'
      ? secondFactor.tooMany(error.retryAfterSeconds)
      : error === 'suspended'
        ? secondFactor.suspended
        : error === 'wrong_key'
          ? secondFactor.wrongKey
          : undefined
  return renderPage(
    <Layout {...props} title={messages.proveHeading} error={error !== undefined}>
      <h1>{messages.proveHeading}</h1>
      <p>{stale.includes('key') ? messages.proveByKey : messages.proveText}</p>
      {alert && (
        <Alert id="problem" focus>
          {alert}
        </Alert>
      )}
      <Form {...props}>
        {stale.includes('password') && (
          <PasswordField
            locale={props.locale}
            name="password"
            label={messages.password}
            autocomplete="current-password"
            error={error === 'wrong_password' ? messages.wrongPassword : undefined}
            autofocus={alert === undefined}
          />
        )}
        {stale.includes('code') && (
          <TextField
            name="proof_code"
            label={secondFactor.code}
            type="text"
            inputmode="numeric"
            autocomplete="one-time-code"
            error={error === 'wrong_code' ? secondFactor.wrong : undefined}
            autofocus={alert === undefined && !stale.includes('password')}
          />
        )}
        <div class="actions">
          {stale.includes('key') && (
            <Passkeys from={keysFrom} failed={secondFactor.keyFailed} needs={secondFactor.keyNeeds}>
              <AskButton purpose="second_factor" kind="primary">
                {secondFactor.useKey}
              </AskButton>
            </Passkeys>
          )}
          {(stale.includes('password') || stale.includes('code')) && (
            <Button kind={stale.includes('key') ? 'secondary' : 'primary'}>{secondFactor.submit}</Button>
          )}
        </div>
      </Form>
      <p class="note">
        <a href={props.action}>{messages.back}</a>
      </p>
    </Layout>,
  )
}
