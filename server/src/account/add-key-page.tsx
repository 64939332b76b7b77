import { formPage, Problem } from '../pages/form-page.tsx'
import { Checkbox, type FormPageProps } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'
import { BackToFactors } from './parts.tsx'

export type AddKeyError = 'wrong'

export interface AddKeyPageProps extends FormPageProps {
  /** The path that gives options. */
  from: string
  error?: AddKeyError | undefined
}

/** A passkey or security key is set up of one's own accord. */
export function addKeyPage(props: AddKeyPageProps): string {
  const { locale, from, error } = props
  const { enrolKey: messages, accountSignIn } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    hidden: { do: 'key' },
    above: [
      <Problem>{error && messages.wrong}</Problem>,
      <p>{messages.passkeyText}</p>,
      <p>{messages.securityKeyText}</p>,
    ],
    fields: <Checkbox name="elsewhere">{accountSignIn.elsewhere}</Checkbox>,
    buttons: (
      <Passkeys from={from} failed={messages.failed} taken={messages.taken} needs={messages.needs}>
        <AskButton purpose="passkey" kind="primary">
          {messages.passkey}
        </AskButton>
        <AskButton purpose="security_key">{messages.securityKey}</AskButton>
      </Passkeys>
    ),
    below: <BackToFactors {...props} />,
  })
}
