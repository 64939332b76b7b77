import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { NewPasskey } from '../pages/new-passkey.tsx'
import { NewPassword, type NewPasswordError } from '../pages/new-password.tsx'
import { Lead, type OfferedProps, Offers } from './offers.tsx'

/** What is wrong with a field. */
export interface JoinErrors {
  name?: 'missing' | 'wrong' | undefined
  password?: NewPasswordError | undefined
  /** The one that was just made is none. */
  passkey?: true
}

export interface JoinPageProps extends FormPageProps, OfferedProps {
  /** The one that was invited; it can't be changed here. */
  email: string
  name: string
  /** Characters of a password. */
  least: number
  /** The path of options for a passkey; undefined: there are none at this issuer. */
  keysFrom: string | undefined
  errors?: JoinErrors | undefined
}

/** Somebody who has no account makes one. */
export function joinPage(props: JoinPageProps): string {
  const { locale, errors } = props
  const { invitation: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.joinHeading,
    error: errors,
    hidden: { ...props.hidden, do: 'join' },
    above: [
      <Lead {...props} />,
      <Offers {...props} />,
      <Problem>{errors?.passkey && messagesFor(locale).enrolKey.wrong}</Problem>,
    ],
    fields: <Fields {...props} />,
    buttons: [<Button>{messages.join}</Button>, <NewPasskey {...props} label={messages.byPasskey} />],
  })
}

/** `username` and `new-password` are what password managers keep together. */
function Fields({ locale, email, name, least, errors = {} }: JoinPageProps) {
  const { invitation: messages, firstAdministrator: words } = messagesFor(locale)
  const focus =
    errors.name === undefined && (errors.password !== undefined || name !== '') ? 'password' : 'name'
  return (
    <>
      <div class="field">
        <label for="email">{messages.email}</label>
        <input id="email" type="email" name="email" value={email} autocomplete="username" readonly />
      </div>
      <TextField
        name="name"
        label={words.name}
        type="text"
        autocomplete="name"
        value={name}
        error={errors.name && words.wrongName[errors.name]}
        first
        autofocus={focus === 'name'}
      />
      <NewPassword
        locale={locale}
        labels={words}
        least={least}
        error={errors.password}
        autofocus={focus === 'password'}
      />
    </>
  )
}
