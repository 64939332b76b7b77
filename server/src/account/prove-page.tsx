import { PasswordField } from '../pages/controls.tsx'
import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'
import type { ProofError, Stale, WaysToProve } from './fresh-proof.ts'
import { BackToFactors } from './parts.tsx'

export interface ProvePageProps extends FormPageProps {
  /** The form that goes on once this is proved. */
  hidden: Readonly<Record<string, string>>
  stale: readonly Stale[]
  /** The path that gives options for passkeys and security keys. */
  keysFrom: string
  error?: ProofError | undefined
  /** The ways in which a first factor can be proved, where one is missing. */
  ways: WaysToProve
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

/** A person who has nothing that would do is asked for the password, too. */
const asksPassword = ({ stale, ways }: Pick<ProvePageProps, 'stale' | 'ways'>): boolean =>
  stale.includes('password') && (ways.password || ways.upstreams.length === 0)

function Fields({ locale, stale, ways, error, focus }: ProvePageProps & { focus: boolean }) {
  const { accountSignIn: messages, secondFactor } = messagesFor(locale)
  return (
    <>
      {asksPassword({ stale, ways }) && (
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
          autofocus={focus && !asksPassword({ stale, ways })}
        />
      )}
    </>
  )
}

function Buttons({ locale, stale, ways, keysFrom }: ProvePageProps) {
  const { secondFactor, upstream } = messagesFor(locale)
  const byKey = stale.includes('key')
  const typed = asksPassword({ stale, ways }) || stale.includes('code')
  return (
    <>
      {byKey && (
        <Passkeys from={keysFrom} failed={secondFactor.keyFailed} needs={secondFactor.keyNeeds}>
          <AskButton purpose="second_factor" kind="primary">
            {secondFactor.useKey}
          </AskButton>
        </Passkeys>
      )}
      {typed && <Button kind={byKey ? 'secondary' : 'primary'}>{secondFactor.submit}</Button>}
      {stale.includes('password') &&
        ways.upstreams.map(({ uuid, name }) => (
          <Button kind={byKey || typed ? 'secondary' : 'primary'} choice={`upstream:${uuid}`}>
            {upstream.continueWith(name)}
          </Button>
        ))}
    </>
  )
}

/** The page after a proof elsewhere: the form that wanted it goes on by a button, since no GET changes anything. */
export function provedPage(props: FormPageProps): string {
  const { upstream: messages, secondFactor } = messagesFor(props.locale)
  return formPage({
    ...props,
    title: messages.provedTitle,
    above: <p>{messages.provedText}</p>,
    buttons: <Button>{secondFactor.submit}</Button>,
    below: <BackToFactors {...props} />,
  })
}
