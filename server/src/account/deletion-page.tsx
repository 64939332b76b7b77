import { Problem } from '../pages/form-page.tsx'
import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import type { DeletionRefusal } from '../store/deletion.ts'
import { BackToAccount } from './parts.tsx'

export interface DeletionPageProps extends FormPageProps {
  /** Why it can't be done. */
  refusal: DeletionRefusal | undefined
}

/** What goes and what stays, before somebody asks for it. */
export function deletionPage({ refusal, ...props }: DeletionPageProps): string {
  const { account, accountSignIn } = messagesFor(props.locale)
  const messages = { ...account.deletion, gets_in: accountSignIn.getsIn }
  return renderPage(
    <Layout {...props} title={messages.title} error={refusal !== undefined}>
      <BackToAccount locale={props.locale} />
      <h1>{messages.title}</h1>
      <Problem>{refusal && messages[refusal]}</Problem>
      <p>{messages.lead}</p>
      <ul>
        <li>{messages.ends}</li>
        <li>{messages.goes}</li>
        <li>{messages.stays}</li>
      </ul>
      {refusal === undefined && (
        <Form {...props} hidden={{ do: 'request' }}>
          <Button>{messages.submit}</Button>
        </Form>
      )}
    </Layout>,
  )
}

interface AtProps extends PageProps {
  /** When the account is removed, and the time zone that it is told in. */
  at: number
  zone: string
}

const dateOf = ({ locale, at, zone: timeZone }: AtProps): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(at)

/** Nobody is signed in here any more. */
export function deletedPage(props: AtProps): string {
  const { account, accountSignIn } = messagesFor(props.locale)
  const { deletion: messages } = account
  return renderPage(
    <Layout {...props} title={messages.waiting}>
      <h1>{messages.waiting}</h1>
      <p>{messages.done(dateOf(props))}</p>
      <p>
        <a href="/account">{accountSignIn.signInAgain}</a>
      </p>
    </Layout>,
  )
}
