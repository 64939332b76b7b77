import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface ForgottenPageProps extends FormPageProps {
  email?: string | undefined
  /** The sign-in that it was begun from. */
  back?: string | undefined
  error?: 'missing' | undefined
}

/** Asks for the address of an account whose password is forgotten. */
export function forgottenPage(props: ForgottenPageProps): string {
  const { locale, email, back, error } = props
  const { forgotten: messages, password } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: <p>{messages.text}</p>,
    fields: (
      <TextField
        name="email"
        label={password.email}
        type="email"
        inputmode="email"
        autocomplete="username"
        value={email}
        error={error && password.missingEmail}
        autofocus
      />
    ),
    buttons: <Button>{messages.submit}</Button>,
    below: <Back locale={locale} back={back} />,
  })
}

export interface ForgottenSentPageProps extends PageProps {
  /** The address as it was typed. */
  email: string
  back: string | undefined
  /** The form, to be sent once more. */
  again: string
}

/** The page is the same whether anybody has the address or not. */
export function forgottenSentPage(props: ForgottenSentPageProps): string {
  const { locale, email, back, again } = props
  const { forgotten: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.sentHeading}>
      <h1>{messages.sentHeading}</h1>
      <p>{messages.sent(<Name>{email}</Name>)}</p>
      <p>{back === undefined ? messages.good : messages.goesOn}</p>
      <p class="note">{messages.nothing(<a href={again}>{messages.again}</a>)}</p>
      <Back locale={locale} back={back} />
    </Layout>,
  )
}

function Back({ locale, back }: Pick<ForgottenPageProps, 'locale' | 'back'>) {
  const { forgotten: messages } = messagesFor(locale)
  return back === undefined ? null : (
    <p class="note">
      <a href={back}>{messages.back}</a>
    </p>
  )
}
