import { formPage } from '../pages/form-page.tsx'
import { Button, Form, type FormPageProps, TextField } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

/** The one who changes the address: the person, a declared file, or administrators, also where no mail is sent. */
export type ChangedBy = 'self' | 'administrator' | { file: string }

export type AddressError = 'wrong' | 'same' | 'often'

const wordsOf = ({ locale }: Pick<FormPageProps, 'locale'>) => messagesFor(locale).account.person.address

interface AddressPartProps extends FormPageProps {
  changedBy: ChangedBy
  /** What was typed, and what is wrong with it. */
  address?: { next: string; error: AddressError } | undefined
}

/** How somebody gets another address. */
export function AddressPart({ changedBy, address, ...props }: AddressPartProps) {
  const messages = wordsOf(props)
  return (
    <>
      <h2>{messages.heading}</h2>
      {changedBy === 'self' ? (
        <Form {...props} hidden={{ do: 'address' }}>
          <p>{messages.lead}</p>
          <TextField
            name="email"
            label={messages.next}
            type="email"
            inputmode="email"
            autocomplete="email"
            value={address?.next}
            error={address && messages[address.error]}
            autofocus={address !== undefined}
          />
          <div class="actions">
            <Button kind="secondary">{messages.submit}</Button>
          </div>
        </Form>
      ) : (
        <p>
          {changedBy === 'administrator'
            ? messages.administrator
            : messages.file(<Name>{changedBy.file}</Name>)}
        </p>
      )}
    </>
  )
}

/** What confirming does, and the button. */
export function confirmPage({
  from,
  to,
  link,
  ...props
}: FormPageProps & { from: string; to: string; link: string }): string {
  const messages = wordsOf(props)
  return formPage({
    ...props,
    title: messages.confirm,
    hidden: { do: 'confirm', link },
    above: (
      <>
        <p class="lead">{messages.becomes(<Name>{to}</Name>)}</p>
        <p>{messages.former(<Name>{from}</Name>)}</p>
      </>
    ),
    buttons: <Button>{messages.yes}</Button>,
  })
}

/** The page for a link of another person. The link stays valid. */
export function otherPersonPage({ email, ...props }: FormPageProps & { email: string }): string {
  const messages = wordsOf(props)
  return renderPage(
    <Layout {...props} title={messages.other} error>
      <h1>{messages.other}</h1>
      <p>{messages.otherText(<Name>{email}</Name>)}</p>
      <p>
        <a href="/oauth2/logout">{messagesFor(props.locale).account.signOut}</a>
      </p>
    </Layout>,
  )
}

/** The page for a link that is unknown, used, replaced or expired, or whose address is taken by now. */
export function endedPage(props: FormPageProps): string {
  const messages = wordsOf(props)
  return renderPage(
    <Layout {...props} title={messages.ended} error>
      <h1>{messages.ended}</h1>
      <p>{messages.endedText}</p>
      <p>
        <a href="/account/person">{messages.again}</a>
      </p>
    </Layout>,
  )
}
