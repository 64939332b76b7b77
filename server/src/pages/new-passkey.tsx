import type { Locale } from './locale.ts'
import { messagesFor } from './messages/index.ts'
import { AskButton, Passkeys } from './passkeys.tsx'

export interface NewPasskeyProps {
  locale: Locale
  /** The path of options for a passkey; undefined: there are none at this issuer. */
  keysFrom: string | undefined
  label?: string
  kind?: 'primary' | 'secondary'
}

/** The button for a passkey in the place of a password. Part of a form. */
export function NewPasskey({ locale, keysFrom, label, kind = 'secondary' }: NewPasskeyProps) {
  const { enrolKey: messages } = messagesFor(locale)
  return keysFrom === undefined ? null : (
    <Passkeys from={keysFrom} failed={messages.failed} taken={messages.taken} needs={messages.needs}>
      <AskButton purpose="passkey" kind={kind}>
        {label ?? messages.passkey}
      </AskButton>
    </Passkeys>
  )
}
