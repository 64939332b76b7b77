import { TextField } from './form.tsx'
import type { Locale } from './locale.ts'
import type { Messages } from './messages/en.ts'
import { messagesFor } from './messages/index.ts'
import { Qr } from './qr.tsx'

export type EnrolmentError = 'missing' | 'wrong' | 'clock' | 'expired' | 'wrongName'

export interface EnrolmentProps {
  locale: Locale
  /** The secret in base32, and what the app reads as a QR code. */
  secret: string
  address: string
  name?: string | undefined
  error?: EnrolmentError | undefined
}

/** What an authenticator app needs, and the fields that confirm it. Part of a form. */
export function Enrolment({ locale, secret, address, name, error }: EnrolmentProps) {
  const { enrol: messages } = messagesFor(locale)
  return (
    <>
      <p>{messages.scan}</p>
      <Qr text={address} label={messages.qr} />
      <p class="hint">{messages.key}</p>
      <p class="key">{secret.replaceAll(/(.{4})(?!$)/g, '$1 ')}</p>
      <TextField
        name="name"
        label={messages.name}
        hint={messages.nameHint}
        type="text"
        autocomplete="off"
        value={name ?? messages.defaultName}
        error={error === 'wrongName' ? messages.wrongName : undefined}
      />
      <TextField
        name="code"
        label={messages.code}
        type="text"
        inputmode="numeric"
        autocomplete="one-time-code"
        error={codeError(messages, error)}
        autofocus={error !== undefined && error !== 'wrongName'}
      />
    </>
  )
}

function codeError(messages: Messages['enrol'], error: EnrolmentError | undefined): string | undefined {
  return error === undefined || error === 'wrongName' ? undefined : messages[error]
}
