import { PasswordField } from '../pages/controls.tsx'
import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { NewPassword, type NewPasswordError } from '../pages/new-password.tsx'
import type { ProofError } from './fresh-proof.ts'
import { BackToFactors } from './parts.tsx'

/** What is wrong with a field. */
export interface PasswordErrors {
  current?: ProofError | undefined
  next?: NewPasswordError | undefined
}

export interface PasswordFormPageProps extends FormPageProps {
  email: string
  /** The account has a password. */
  has: boolean
  least: number
  errors?: PasswordErrors | undefined
}

/** Another password, or the first one. */
export function passwordFormPage(props: PasswordFormPageProps): string {
  const { locale, has, errors } = props
  const { account, secondFactor } = messagesFor(locale)
  const { password: messages } = account
  const wait = typeof errors?.current === 'object' ? errors.current.retryAfterSeconds : undefined
  const title = has ? messages.change : messages.set
  return formPage({
    ...props,
    title,
    error: errors,
    hidden: { do: 'set_password' },
    above: [<p>{messages.lead}</p>, <Problem>{wait !== undefined && secondFactor.tooMany(wait)}</Problem>],
    fields: <Fields {...props} />,
    buttons: <Button>{title}</Button>,
    below: <BackToFactors {...props} />,
  })
}

/** `username` is what password managers keep the new one under. */
function Fields({ locale, email, has, least, errors = {} }: PasswordFormPageProps) {
  const { accountSignIn, account } = messagesFor(locale)
  const { password: messages } = account
  const { current, next } = errors
  return (
    <>
      <input type="hidden" name="username" value={email} autocomplete="username" />
      {has && (
        <PasswordField
          locale={locale}
          name="current_password"
          label={messages.current}
          autocomplete="current-password"
          error={typeof current === 'string' ? accountSignIn.wrongPassword : undefined}
          autofocus={next === undefined && typeof current !== 'object'}
        />
      )}
      <NewPassword
        locale={locale}
        name="new_password"
        labels={{ password: messages.next, again: messages.again }}
        least={least}
        error={next}
        autofocus={next !== undefined || !has}
      />
    </>
  )
}
