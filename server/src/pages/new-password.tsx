import { passwordLength } from '../protocol/password-text.ts'
import { PasswordField } from './controls.tsx'
import type { Locale } from './locale.ts'
import type { Messages } from './messages/en.ts'
import { messagesFor } from './messages/index.ts'

/** `differs`: the one typed again is another, so both are typed anew. */
export type NewPasswordError = keyof ReturnType<Messages['firstAdministrator']['wrongPassword']>

export interface NewPasswordProps {
  locale: Locale
  /** The name of the field. The second has it with `_again`. */
  name?: string
  labels: { password: string; again: string }
  /** Characters that it needs. */
  least: number
  error?: NewPasswordError | undefined
  /** Words in the place of those of `error`. */
  wrong?: string | undefined
  autofocus: boolean
}

/** A password that is set, typed twice. `new-password` is what password managers fill with one of their own. */
export function NewPassword({
  locale,
  name = 'password',
  labels,
  least,
  error,
  wrong,
  autofocus,
}: NewPasswordProps) {
  const { passwordHint, wrongPassword } = messagesFor(locale).firstAdministrator
  const { most } = passwordLength
  const field = { locale, autocomplete: 'new-password' }
  return (
    <>
      <PasswordField
        {...field}
        name={name}
        label={labels.password}
        hint={passwordHint(least, most)}
        error={wrong ?? (error && wrongPassword(least, most)[error])}
        autofocus={autofocus}
      />
      <PasswordField {...field} name={`${name}_again`} label={labels.again} />
    </>
  )
}
