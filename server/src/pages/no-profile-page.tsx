import { Button, Form, type FormPageProps } from './form.tsx'
import { Layout, Name, renderPage } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface NoProfilePageProps extends FormPageProps {
  accountName: string
  clientName: string
  /** The account has profiles, and none of the organisation that the client belongs to. */
  elsewhere: boolean
  /** The client lets none of the profiles there in; the roles and organisations of those who could give another. */
  shut: readonly { role: string; organisation: string }[] | undefined
  /** The account has profiles that wait until somebody proves whose it is. */
  waits: boolean
  /** The page that mails a link, which proves the account; undefined: no mail is sent. */
  forgotten: string | undefined
}

export function noProfilePage(props: NoProfilePageProps): string {
  const { locale, accountName, clientName } = props
  const { common, noProfile: messages } = messagesFor(locale)
  const { elsewhere, shut, waits, forgotten } = props
  const textOfOthers = waits ? messages.textWaits : messages.text
  const text = shut ? messages.textShut : elsewhere ? messages.textElsewhere : textOfOthers
  return renderPage(
    <Layout {...props} title={messages.title} numbered>
      <h1>{messages.heading}</h1>
      <p>{text(<Name>{accountName}</Name>, <Name>{clientName}</Name>)}</p>
      {shut !== undefined && shut.length > 0 ? (
        <>
          <p>{messages.whoGives}</p>
          <ul>
            {shut.map(({ role, organisation }) => (
              <li>
                <Name>{role}</Name> (<Name>{organisation}</Name>)
              </li>
            ))}
          </ul>
        </>
      ) : forgotten === undefined ? (
        <p>{messages.ask}</p>
      ) : (
        <p>
          <a href={forgotten}>{messages.sendLink}</a>
        </p>
      )}
      <Form {...props}>
        <div class="actions">
          <Button choice="continue">{messages.continue(<Name>{clientName}</Name>)}</Button>
          <Button kind="secondary" choice="switch">
            {common.useAnotherAccount}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}
