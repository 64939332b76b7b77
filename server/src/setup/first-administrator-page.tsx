import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import type { Locale } from '../pages/locale.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { NewPassword, type NewPasswordError } from '../pages/new-password.tsx'

/** What is wrong with a field. */
export interface FirstAdministratorErrors {
  name?: 'missing' | 'wrong'
  email?: 'missing' | 'wrong' | 'taken'
  password?: NewPasswordError
}

export interface FirstAdministratorPageProps extends FormPageProps {
  /** Characters of a password. */
  least: number
  /** What was typed. Never a password: that is typed anew each time. */
  name?: string | undefined
  email?: string | undefined
  errors?: FirstAdministratorErrors | undefined
}

export function firstAdministratorPage(props: FirstAdministratorPageProps): string {
  const { locale, requestId, action, csrf, hidden } = props
  const { firstAdministrator: messages } = messagesFor(locale)
  return formPage({
    locale,
    requestId,
    action,
    csrf,
    title: messages.title,
    heading: messages.heading,
    error: props.errors,
    hidden,
    above: <p class="lead">{messages.lead}</p>,
    fields: <Fields {...props} />,
    buttons: <Button>{messages.submit}</Button>,
  })
}

/** `username` and `new-password` are what password managers keep together. */
function Fields({ locale, least, name, email, errors = {} }: FirstAdministratorPageProps) {
  const { firstAdministrator: messages } = messagesFor(locale)
  const wrong = (['name', 'email', 'password'] as const).find((field) => errors[field] !== undefined)
  const focus = wrong ?? 'name'
  return (
    <>
      <TextField
        name="name"
        label={messages.name}
        type="text"
        autocomplete="name"
        value={name}
        error={errors.name && messages.wrongName[errors.name]}
        autofocus={focus === 'name'}
      />
      <TextField
        name="email"
        label={messages.email}
        type="email"
        inputmode="email"
        autocomplete="username"
        value={email}
        error={errors.email && messages.wrongEmail[errors.email]}
        autofocus={focus === 'email'}
      />
      <NewPassword
        locale={locale}
        labels={messages}
        least={least}
        error={errors.password}
        autofocus={focus === 'password'}
      />
    </>
  )
}

export interface FirstAdministratorMadePageProps {
  locale: Locale
  requestId: string
  email: string
  /** The address of the interface description. */
  description: string
  /** The path of the console, where there is one. */
  console: string | undefined
}

export function firstAdministratorMadePage(props: FirstAdministratorMadePageProps): string {
  const { locale, requestId, email, description, console } = props
  const { firstAdministratorMade: messages } = messagesFor(locale)
  return renderPage(
    <Layout locale={locale} requestId={requestId} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text(<Name>{email}</Name>)}</p>
      <h2>{messages.steps}</h2>
      <ol class="permissions">
        <li>{messages.secure(<a href="/account/sign-in">{messages.secureLink}</a>)}</li>
        {console ? (
          <>
            <li>{messages.manage(<a href={console}>{messages.manageLink}</a>)}</li>
            <li>
              <a href={`${console}/applications/new`}>{messages.registerLink}</a>
            </li>
            <li>
              <a href={`${console}/people/new`}>{messages.peopleLink}</a>
            </li>
          </>
        ) : (
          <>
            <li>{messages.register(<code>tessera client create --for</code>)}</li>
            <li>{messages.people(<code>tessera user create</code>)}</li>
          </>
        )}
      </ol>
      <p class="note">{messages.next(<a href={description}>{messages.description}</a>)}</p>
    </Layout>,
  )
}
