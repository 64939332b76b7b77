import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import type { Locale } from '../pages/locale.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { NewPasskey } from '../pages/new-passkey.tsx'
import { NewPassword } from '../pages/new-password.tsx'
import type { JoinErrors } from './join-page.tsx'
import { ProfilePlace } from '../sign-in/choose-profile-page.tsx'
import { Lead, type OfferedProps, Offers } from './offers.tsx'

interface Masked {
  /** The address, masked: who has the link may not be its owner. */
  account: string
}

/** The address has an account, and nobody is signed in. */
export function knownPage(props: FormPageProps & OfferedProps & Masked): string {
  const { locale, account } = props
  const { invitation: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    hidden: { ...props.hidden, do: 'sign_in' },
    above: [<Lead {...props} />, <p>{messages.known(<Name>{account}</Name>)}</p>, <Offers {...props} />],
    buttons: <Button>{messages.signIn}</Button>,
  })
}

interface AcceptPageProps extends FormPageProps, OfferedProps {
  accountName: string
  /** Asks for a password of their own, or a passkey in its place. */
  own?: {
    /** Characters of a password. */
    least: number
    keysFrom: string | undefined
    errors: Pick<JoinErrors, 'password' | 'passkey'> | undefined
  }
}

/** The page on which the invited person, signed in, accepts each profile. */
export function acceptPage(props: AcceptPageProps): string {
  const { locale, accountName, own } = props
  const { common, enrolKey, invitation: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    hidden: { ...props.hidden, do: 'accept' },
    error: own?.errors,
    above: [
      <Lead {...props} />,
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>,
      <Problem>{own?.errors?.passkey && enrolKey.wrong}</Problem>,
    ],
    fields: [<Choices {...props} />, own && <OwnPassword locale={locale} {...own} />],
    buttons: [
      <Button>{messages.accept}</Button>,
      own && <NewPasskey locale={locale} keysFrom={own.keysFrom} label={messages.byPasskey} />,
      <Button kind="secondary" choice="decline">
        {messages.decline}
      </Button>,
    ],
  })
}

function Choices({ locale, offers }: AcceptPageProps) {
  if (offers.length === 0) return null
  return (
    <fieldset class="choices">
      <legend>{messagesFor(locale).invitation.choose}</legend>
      <div class="choice-list">
        {offers.map((one, index) => (
          <label class="choice">
            <input type="checkbox" name={`profile_${index}`} value="1" checked />
            <span class="choice-text">
              <ProfilePlace of={one} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function OwnPassword({ locale, least, errors }: NonNullable<AcceptPageProps['own']> & { locale: Locale }) {
  const { invitation: messages, firstAdministrator: words } = messagesFor(locale)
  const error = errors?.password
  return (
    <>
      <p>{messages.ownPassword}</p>
      <NewPassword
        locale={locale}
        labels={words}
        least={least}
        error={error}
        autofocus={error !== undefined}
      />
    </>
  )
}

/** Somebody else is signed in. */
export function otherPersonPage(props: FormPageProps & Masked & { accountName: string }): string {
  const { locale, account, accountName } = props
  const { invitation: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.otherHeading,
    hidden: { ...props.hidden, do: 'switch' },
    above: <p>{messages.other(<Name>{accountName}</Name>, <Name>{account}</Name>)}</p>,
    buttons: <Button>{messages.switch}</Button>,
  })
}

/** `mails`: it can be sent again to the address that was invited. */
export function expiredPage(props: FormPageProps & Masked & { mails: boolean }): string {
  const { locale, account, mails } = props
  const { invitation: messages } = messagesFor(locale)
  if (!mails)
    return renderPage(
      <Layout {...props} title={messages.expiredHeading}>
        <h1>{messages.expiredHeading}</h1>
        <p>{messages.expired}</p>
        <p>{messages.askThem}</p>
      </Layout>,
    )
  return formPage({
    ...props,
    title: messages.expiredHeading,
    hidden: { ...props.hidden, do: 'again' },
    above: [<p>{messages.expired}</p>, <p>{messages.again(<Name>{account}</Name>)}</p>],
    buttons: <Button>{messages.sendAgain}</Button>,
  })
}

export function sentAgainPage(props: PageProps & Masked): string {
  const { locale, account } = props
  const { invitation: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.sentHeading}>
      <h1>{messages.sentHeading}</h1>
      <p>{messages.sent(<Name>{account}</Name>)}</p>
    </Layout>,
  )
}

export interface AcceptedPageProps extends PageProps {
  accountName: string | undefined
  client: { client_name: string; client_uri: string | null } | undefined
  /** What they accepted waits until they prove whose the account is; where a link is mailed for it, if any is. */
  waits: { forgotten: string | undefined } | undefined
}

/** Where what they accepted waits, the link that ends this comes first. */
function Onward({ locale, client, waits }: AcceptedPageProps) {
  const { invitation: messages } = messagesFor(locale)
  const mailed = waits?.forgotten
  if (mailed === undefined && (client?.client_uri ?? null) === null) return null
  return (
    <p class="actions">
      {mailed !== undefined && (
        <a class="button button-primary" href={mailed}>
          {messages.sendLink}
        </a>
      )}
      {typeof client?.client_uri === 'string' && (
        <a class={`button button-${mailed === undefined ? 'primary' : 'secondary'}`} href={client.client_uri}>
          {messages.goOn(<Name>{client.client_name}</Name>)}
        </a>
      )}
    </p>
  )
}

/** The page is the same for everybody not signed in. */
export function acceptedPage(props: AcceptedPageProps): string {
  const { locale, accountName, client, waits } = props
  const { common, invitation: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.acceptedTitle}>
      <h1>{messages.acceptedTitle}</h1>
      {accountName !== undefined && <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>}
      {waits !== undefined ? (
        <p>{messages.waits}</p>
      ) : (
        <p>
          {client === undefined ? messages.accepted : messages.acceptedFor(<Name>{client.client_name}</Name>)}
        </p>
      )}
      <Onward {...props} />
      <p class="note">
        <a href="/account/sign-in">{messages.secure}</a>
      </p>
    </Layout>,
  )
}
