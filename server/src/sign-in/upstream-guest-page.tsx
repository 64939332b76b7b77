import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import type { EnrolmentCodeError } from '../pages/enrolment-code-page.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

interface GuestPageProps extends FormPageProps {
  /** The upstream. */
  name: string
  /** The address that the code goes to. */
  email: string
  /** A code waits to be typed. */
  sent: boolean
  error?: EnrolmentCodeError | undefined
}

/** Asks for the code from a mail: the same whether there is an account or not. */
export function guestPage(props: GuestPageProps): string {
  const { locale, name, email, sent, error } = props
  const { common, enrolCode, secondFactor, upstream: messages } = messagesFor(locale)
  const ofField = sent && error !== 'tooMany' ? error : undefined
  const address = <Name>{email}</Name>
  return formPage({
    ...props,
    title: messages.guestTitle,
    above: [
      <p class="lead">{messages.guestText(address, <Name>{name}</Name>)}</p>,
      sent && <p>{enrolCode.sent(address)}</p>,
      <Problem>{error && ofField === undefined && enrolCode[error]}</Problem>,
    ],
    fields: sent && (
      <TextField
        name="mail_code"
        label={enrolCode.code}
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        error={ofField && enrolCode[ofField]}
        autofocus={error === undefined || ofField !== undefined}
      />
    ),
    buttons: [
      sent && <Button choice="code">{secondFactor.submit}</Button>,
      <Button kind={sent ? 'secondary' : 'primary'} choice="send">
        {sent ? enrolCode.again : enrolCode.send}
      </Button>,
      <Button kind="quiet" choice="back">
        {messages.back}
      </Button>,
      <Button kind="quiet" choice="cancel">
        {common.cancel}
      </Button>,
    ],
  })
}
