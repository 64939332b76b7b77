import { formPage, LeaveButtons } from '../pages/form-page.tsx'
import { Alert, Button, Checkbox, type FormPageProps, TextField } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import type { Messages } from '../pages/messages/en.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'

export type SecondFactorError =
  | 'missing'
  | 'wrong'
  | 'wrongKey'
  | 'suspended'
  | 'keySuspended'
  | { retryAfterSeconds: number }

export interface SecondFactorPageProps extends FormPageProps {
  accountName: string
  /** What is asked for; `none`: every authenticator app is suspended, or there is none. */
  asks: 'app' | 'recovery' | 'none'
  /** The address of this page with the other question. Undefined: there is none to ask. */
  other: string | undefined
  /** The path of options for the person's passkeys and security keys; undefined: there are none. */
  keysFrom: string | undefined
  /** How many days a browser may be trusted for; 0: it may not. */
  trustDays: number
  error?: SecondFactorError | undefined
}

/** What a page needs to ask for a second factor. */
export type FactorQuestion = Pick<SecondFactorPageProps, 'locale' | 'asks' | 'keysFrom' | 'error'>

const alertId = 'problem'

/** A code of an authenticator app, or a recovery code, which is never asked for first. */
export function secondFactorPage(props: SecondFactorPageProps): string {
  const { locale, accountName, asks, trustDays } = props
  const { secondFactor: messages } = messagesFor(locale)
  const trusts = asks === 'app' && trustDays > 0
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    hidden: asks === 'recovery' ? { with: 'recovery' } : undefined,
    above: [<p class="lead">{messages.lead(<Name>{accountName}</Name>)}</p>, <FactorAlert {...props} />],
    fields: [
      <FactorFields {...props} />,
      trusts && <Checkbox name="trust">{messages.trust(trustDays)}</Checkbox>,
    ],
    buttons: [
      asks !== 'none' && <Button>{messages.submit}</Button>,
      <KeyOffer {...props} />,
      <LeaveButtons locale={locale} />,
    ],
    below: <OtherQuestion {...props} />,
  })
}

/** What is wrong, where no field says it. */
export function FactorAlert(props: FactorQuestion) {
  const { locale, asks, error } = props
  const alert = alertFor(messagesFor(locale).secondFactor, props)
  return alert === undefined ? null : (
    <Alert id={alertId} focus={asks === 'none' || error === 'wrongKey' || typeof error === 'object'}>
      {alert}
    </Alert>
  )
}

/** Leads to a recovery code, and back. */
export function OtherQuestion({
  locale,
  asks,
  other,
}: Pick<SecondFactorPageProps, 'locale' | 'asks' | 'other'>) {
  const { secondFactor: messages } = messagesFor(locale)
  return other === undefined ? null : (
    <p class="note">
      <a href={other}>{asks === 'recovery' ? messages.useApp : messages.useRecovery}</a>
    </p>
  )
}

export function KeyOffer({ locale, asks, keysFrom }: FactorQuestion) {
  const { secondFactor: messages } = messagesFor(locale)
  return keysFrom === undefined ? null : (
    <Passkeys from={keysFrom} failed={messages.keyFailed} needs={messages.keyNeeds}>
      <AskButton purpose="second_factor" kind={asks === 'none' ? 'primary' : 'secondary'}>
        {messages.useKey}
      </AskButton>
    </Passkeys>
  )
}

export function FactorFields({ locale, asks, error }: FactorQuestion) {
  const { secondFactor: messages } = messagesFor(locale)
  if (asks === 'none') return <></>
  const isApp = asks === 'app'
  return (
    <>
      {!isApp && <p>{messages.recoveryLead}</p>}
      <TextField
        name={isApp ? 'code' : 'recovery_code'}
        label={isApp ? messages.code : messages.recoveryCode}
        hint={isApp ? messages.hint : messages.recoveryHint}
        type="text"
        inputmode={isApp ? 'numeric' : 'text'}
        autocomplete={isApp ? 'one-time-code' : 'off'}
        error={error === 'missing' ? messages.missing : undefined}
        errorId={error === 'wrong' ? alertId : undefined}
        autofocus={typeof error !== 'object' && error !== 'wrongKey'}
      />
    </>
  )
}

function alertFor(messages: Messages['secondFactor'], { asks, error }: FactorQuestion): string | undefined {
  if (typeof error === 'object') return messages.tooMany(error.retryAfterSeconds)
  if (error === 'suspended' || error === 'keySuspended' || error === 'wrongKey') return messages[error]
  if (error === 'wrong') return asks === 'recovery' ? messages.wrongRecovery : messages.wrong
  return undefined
}
