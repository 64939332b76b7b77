import type { PasswordFault } from '../identity/password-rules.ts'
import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import type { ProofError } from './fresh-proof.ts'
import { BackToFactors } from './parts.tsx'

/** What is wrong with a field. */
export interface PasswordErrors {
  current?: ProofError | undefined
  /** `differs`: the one typed again is another, so both are typed anew. */
  next?: PasswordFault | 'missing' | 'differs' | undefined
}

export interface PasswordFormPageProps extends FormPageProps {
  email: string
  /** There is a password. */
  has: boolean
  least: number
  most: number
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
function Fields({ locale, email, has, least, most, errors = {} }: PasswordFormPageProps) {
  const { accountSignIn, account, firstAdministrator } = messagesFor(locale)
  const { password: messages } = account
  const { current, next } = errors
  return (
    <>
      <input type="hidden" name="username" value={email} autocomplete="username" />
      {has && (
        <TextField
          name="current_password"
          label={messages.current}
          type="password"
          autocomplete="current-password"
          error={typeof current === 'string' ? accountSignIn.wrongPassword : undefined}
          autofocus={next === undefined && typeof current !== 'object'}
        />
      )}
      <TextField
        name="new_password"
        label={messages.next}
        type="password"
        autocomplete="new-password"
        hint={firstAdministrator.passwordHint(least, most)}
        error={next && firstAdministrator.wrongPassword(least, most)[next]}
        autofocus={next !== undefined || !has}
      />
      <TextField
        name="new_password_again"
        label={messages.again}
        type="password"
        autocomplete="new-password"
      />
    </>
  )
}
