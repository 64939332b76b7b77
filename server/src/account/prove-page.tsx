import { PasswordField } from '../pages/controls.tsx'
import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'
import type { ProofError, Stale } from './fresh-proof.ts'
import { BackToFactors } from './parts.tsx'

export interface ProvePageProps extends FormPageProps {
  /** The form that goes on once this is proved. */
  hidden: Readonly<Record<string, string>>
  stale: readonly Stale[]
  /** The path that gives options for passkeys and security keys. */
  keysFrom: string
  error?: ProofError | undefined
}

/** Asks for a fresh proof and keeps the form that wanted it. */
export function provePage(props: ProvePageProps): string {
  const { locale, stale, error } = props
  const { accountSignIn: messages, secondFactor } = messagesFor(locale)
  const alert =
    typeof error === 'object'
      ? secondFactor.tooMany(error.retryAfterSeconds)
      : error === 'suspended'
        ? secondFactor.suspended
        : error === 'wrong_key'
          ? secondFactor.wrongKey
          : undefined
  return formPage({
    ...props,
    title: messages.proveHeading,
    above: [
      <p>{stale.includes('key') ? messages.proveByKey : messages.proveText}</p>,
      <Problem>{alert}</Problem>,
    ],
    fields: <Fields {...props} focus={alert === undefined} />,
    buttons: <Buttons {...props} />,
    below: <BackToFactors {...props} />,
  })
}

function Fields({ locale, stale, error, focus }: ProvePageProps & { focus: boolean }) {
  const { accountSignIn: messages, secondFactor } = messagesFor(locale)
  return (
    <>
      {stale.includes('password') && (
        <PasswordField
          locale={locale}
          name="password"
          label={messages.password}
          autocomplete="current-password"
          error={error === 'wrong_password' ? messages.wrongPassword : undefined}
          autofocus={focus}
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
          autofocus={focus && !stale.includes('password')}
        />
      )}
    </>
  )
}

function Buttons({ locale, stale, keysFrom }: ProvePageProps) {
  const { secondFactor } = messagesFor(locale)
  const byKey = stale.includes('key')
  return (
    <>
      {byKey && (
        <Passkeys from={keysFrom} failed={secondFactor.keyFailed} needs={secondFactor.keyNeeds}>
          <AskButton purpose="second_factor" kind="primary">
            {secondFactor.useKey}
          </AskButton>
        </Passkeys>
      )}
      {(stale.includes('password') || stale.includes('code')) && (
        <Button kind={byKey ? 'secondary' : 'primary'}>{secondFactor.submit}</Button>
      )}
    </>
  )
}
