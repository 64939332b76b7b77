import { formPage, LeaveButtons } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { NewPassword, type NewPasswordError } from '../pages/new-password.tsx'

export interface TemporaryPasswordPageProps extends FormPageProps {
  clientName: string
  /** Characters that it needs. */
  least: number
  /** `same`: the one that somebody else has set. */
  error?: NewPasswordError | 'same' | undefined
}

/** Asks whoever signed in by a password that somebody else has set for one of their own. */
export function temporaryPasswordPage(props: TemporaryPasswordPageProps): string {
  const { locale, clientName, least, error } = props
  const { newPassword: messages, reset } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: [<p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>, <p>{messages.text}</p>],
    fields: (
      <NewPassword
        locale={locale}
        labels={reset}
        least={least}
        {...(error === 'same' ? { wrong: messages.same } : { error })}
        autofocus
      />
    ),
    buttons: [<Button>{reset.submit}</Button>, <LeaveButtons locale={locale} />],
  })
}
