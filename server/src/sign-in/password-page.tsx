import { PasswordField } from '../pages/controls.tsx'
import { formPage } from '../pages/form-page.tsx'
import { Alert, Button, type ButtonProps, type FormPageProps, TextField } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import type { Messages } from '../pages/messages/en.ts'
import { messagesFor } from '../pages/messages/index.ts'
import type { NamedUpstream } from './upstream-page.tsx'
import { AskButton, Passkeys } from '../pages/passkeys.tsx'

export type PasswordPageError =
  | 'wrong_credentials'
  | 'missing_email'
  | 'missing_password'
  | 'passkey_refused'
  | 'no_organisation'
  | { kind: 'too_many_attempts' | 'busy'; retryAfterSeconds: number }

export interface PasswordPageProps extends FormPageProps {
  clientName: string
  /** The address typed, or known from a hint. A password is typed anew each time. */
  email?: string | undefined
  error?: PasswordPageError | undefined
  /** Set when a person who is known is asked to sign in once more. */
  accountName?: string | undefined
  /** The page that mails a link to a person who forgot the password; undefined: no mail is sent here. */
  forgotten?: string | undefined
  /** The ways by which organisations sign their people in, where there are any. */
  offers?: { byDomain: boolean; upstreams: readonly NamedUpstream[] } | undefined
  /** People of the typed domain usually sign in through their organisation. */
  routed?: boolean | undefined
  /** Why what an upstream proved does not suffice. */
  lacks?: 'noTime' | 'beyond' | undefined
  /** The account that is to be connected with an upstream, once its person has proved it. */
  connects?: { email: string; name: string } | undefined
  /** Set where passkeys may be used. */
  passkeys?: { from: string; unknown?: Readonly<Record<string, string>> | undefined } | undefined
}

const alertId = 'problem'

export function passwordPage(props: PasswordPageProps): string {
  const { locale, clientName, error, forgotten } = props
  const {
    common,
    password: messages,
    forgotten: forgottenMessages,
    upstream: upstreamMessages,
  } = messagesFor(locale)
  const problem = error === 'no_organisation' ? upstreamMessages.noOrganisation : alertFor(messages, error)
  const alert = props.routed === true ? `${problem ?? ''} ${upstreamMessages.usual}` : problem
  // An application with upstreams of its own seldom needs another's.
  const isNamed = props.offers !== undefined && props.offers.upstreams.length > 0
  return formPage({
    ...props,
    title: messages.title(clientName),
    heading: props.accountName ? messages.againHeading : messages.heading,
    above: [
      <Lead {...props} />,
      props.lacks && <p>{upstreamMessages[props.lacks]}</p>,
      props.connects && (
        <p>
          {upstreamMessages.linkText(<Name>{props.connects.email}</Name>, <Name>{props.connects.name}</Name>)}
        </p>
      ),
      alert && (
        <Alert id={alertId} focus={focusOf(props.email, error) === 'alert'}>
          {alert}
        </Alert>
      ),
    ],
    fields: <Fields {...props} />,
    buttons: [
      <Button>{messages.submit}</Button>,
      <UpstreamOffers {...props} />,
      !isNamed && <DomainOffer {...props} kind="secondary" />,
      <PasskeyOffer {...props} />,
      isNamed && <DomainOffer {...props} kind="quiet" />,
      <Button kind="quiet" choice="cancel">
        {common.cancel}
      </Button>,
    ],
    below: [
      forgotten && (
        <p class="note">
          <a href={forgotten}>{forgottenMessages.link}</a>
        </p>
      ),
    ],
  })
}

function PasskeyOffer({ locale, passkeys }: PasswordPageProps) {
  const { password: messages } = messagesFor(locale)
  return passkeys === undefined ? null : (
    <Passkeys {...passkeys} autofill failed={messages.passkeyFailed} needs={messages.passkeyNeeds}>
      <AskButton purpose="sign_in">{messages.passkey}</AskButton>
    </Passkeys>
  )
}

/** The ways of the application's organisation, by name. */
function UpstreamOffers({ locale, offers }: PasswordPageProps) {
  const { upstream: messages } = messagesFor(locale)
  return (
    <>
      {offers?.upstreams.map(({ uuid, name }) => (
        <Button kind="secondary" choice={`upstream:${uuid}`}>
          {messages.continueWith(name)}
        </Button>
      ))}
    </>
  )
}

/** The way of any organisation, by the domain of the address. */
function DomainOffer({ locale, offers, kind }: PasswordPageProps & Pick<ButtonProps, 'kind'>) {
  const { upstream: messages } = messagesFor(locale)
  return offers?.byDomain === true ? (
    <Button kind={kind} choice="organisation">
      {messages.continue}
    </Button>
  ) : null
}

function Lead({ locale, clientName, accountName }: PasswordPageProps) {
  const { password: messages } = messagesFor(locale)
  const client = <Name>{clientName}</Name>
  return (
    <p class="lead">
      {accountName ? messages.againLead(<Name>{accountName}</Name>, client) : messages.lead(client)}
    </p>
  )
}

/**
 * The e-mail field is never judged by its form (the form is `novalidate`): what is typed is what is looked up.
 * The pair `username` and `current-password` is what password managers look for.
 */
function Fields({ locale, email, error, passkeys }: PasswordPageProps) {
  const { password: messages } = messagesFor(locale)
  const focus = focusOf(email, error)
  const errorId = error === 'wrong_credentials' ? alertId : undefined
  return (
    <>
      <TextField
        name="email"
        label={messages.email}
        type="email"
        inputmode="email"
        autocomplete={passkeys ? 'username webauthn' : 'username'}
        value={email}
        error={error === 'missing_email' ? messages.missingEmail : undefined}
        errorId={errorId}
        autofocus={focus === 'email'}
      />
      <PasswordField
        locale={locale}
        name="password"
        label={messages.password}
        autocomplete="current-password"
        error={error === 'missing_password' ? messages.missingPassword : undefined}
        errorId={errorId}
        autofocus={focus === 'password'}
      />
    </>
  )
}

function alertFor(messages: Messages['password'], error: PasswordPageError | undefined): string | undefined {
  if (error === 'wrong_credentials') return messages.wrongCredentials
  if (error === 'passkey_refused') return messages.passkeyRefused
  if (typeof error !== 'object') return undefined
  return error.kind === 'busy'
    ? messages.busy(error.retryAfterSeconds)
    : messages.tooManyAttempts(error.retryAfterSeconds)
}

/** The field to type in next; the alert itself when no field is wrong. */
function focusOf(
  email: string | undefined,
  error: PasswordPageError | undefined,
): 'email' | 'password' | 'alert' {
  if (typeof error === 'object' || error === 'passkey_refused' || error === 'no_organisation') return 'alert'
  if (error === 'missing_email') return 'email'
  if (error === 'missing_password') return 'password'
  return email ? 'password' : 'email'
}
