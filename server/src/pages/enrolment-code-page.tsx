import type { Child } from 'hono/jsx'
import { formPage, Problem } from './form-page.tsx'
import { Button, type FormPageProps, TextField } from './form.tsx'
import { Name } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export type EnrolmentCodeError = 'missing' | 'wrong' | 'tooMany'

/** The HTTP status of the page that says so. */
export const codeStatus = (error: EnrolmentCodeError | undefined): number =>
  error === undefined ? 200 : error === 'tooMany' ? 429 : 400

export interface EnrolmentCodePageProps extends FormPageProps {
  /** The address that the code goes to. */
  address: string
  /** A code waits to be typed. */
  sent: boolean
  error?: EnrolmentCodeError | undefined
  /** The other buttons of the form. */
  others?: Child | undefined
  /** What stands under the form. */
  note?: Child | undefined
}

/** Asks for the code from a mail before somebody who gave a password alone sets up a second factor. */
export function enrolmentCodePage(props: EnrolmentCodePageProps): string {
  const { locale, address, sent, error, others, note } = props
  const { enrol, enrolCode: messages, secondFactor } = messagesFor(locale)
  const ofField = sent && error !== 'tooMany' ? error : undefined
  const shown = <Name>{address}</Name>
  return formPage({
    ...props,
    title: enrol.title,
    heading: enrol.heading,
    above: [
      <p class="lead">{sent ? messages.sent(shown) : messages.text(shown)}</p>,
      <Problem>{error && ofField === undefined && messages[error]}</Problem>,
    ],
    fields: sent && (
      <TextField
        name="mail_code"
        label={messages.code}
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        error={ofField && messages[ofField]}
        autofocus={error === undefined || ofField !== undefined}
      />
    ),
    buttons: [
      sent && <Button choice="code">{secondFactor.submit}</Button>,
      <Button kind={sent ? 'secondary' : 'primary'} choice="send">
        {sent ? messages.again : messages.send}
      </Button>,
      others,
    ],
    below: note,
  })
}
