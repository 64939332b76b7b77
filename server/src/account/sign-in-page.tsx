import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, Checkbox, Form, type FormPageProps, TextField } from '../pages/form.tsx'
import { Enrolment, type EnrolmentProps } from '../pages/enrolment.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { Signals } from '../pages/passkeys.tsx'
import { Connections, type ConnectPart, type ConnectRefusal } from './connect-page.tsx'
import { BackToAccount, BackToFactors, Done } from './parts.tsx'

interface ShownFactor {
  id: string
  kind: 'totp' | 'passkey' | 'security_key'
  name: string
  createdAt: number
  lastUsedAt: number | undefined
  suspendedAt: number | undefined
  backedUp: boolean | undefined
  /** The domain that a passkey or security key belongs to. */
  rpId: string | undefined
}

export interface SignInPageProps extends FormPageProps {
  accountName: string
  hasPassword: boolean
  zone: string
  factors: readonly ShownFactor[]
  /** The domain that passkeys belong to now. */
  rpId: string | undefined
  keys: {
    add: 'may' | 'too_many' | 'ip'
    signals: readonly { method: string; told: object }[]
  }
  recoveryLeft: number
  links: ConnectPart
  mayAdd: boolean
  done?: string | undefined
  error?: 'lastOne' | 'getsIn' | 'unknown' | 'wrongName' | 'tooMany' | ConnectRefusal | undefined
}

/** The second factors of the person who is signed in. */
export function accountSignInPage(props: SignInPageProps): string {
  const { locale, accountName, factors, error, done } = props
  const { common, enrol, confirmLogout, account, upstream, accountSignIn: messages } = messagesFor(locale)
  const alerts = {
    ...messages,
    wrongName: enrol.wrongName,
    tooMany: enrol.tooMany,
    ...upstream.connectRefused,
    lastWay: upstream.lastWay,
  }
  return renderPage(
    <Layout {...props} title={messages.title} error={error !== undefined}>
      <BackToAccount locale={locale} />
      <h1>{messages.heading}</h1>
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>
      <Problem>{error && alerts[error]}</Problem>
      <Done done={done} words={{ ...messages.done, ...upstream.connectDone }} />
      <h2>{account.password.title}</h2>
      <Form {...props} hidden={{ do: 'password' }}>
        <Button kind="secondary">{props.hasPassword ? account.password.change : account.password.set}</Button>
      </Form>
      <h2>{messages.factors}</h2>
      {factors.length === 0 && props.hasPassword && props.links.linked.length === 0 && <p>{messages.none}</p>}
      <ul class="factors">
        {factors.map((one, index) => (
          <Factor {...props} factor={one} index={index} />
        ))}
      </ul>
      {props.mayAdd && (
        <Form {...props} hidden={{ do: 'add' }}>
          <Button kind="secondary">{messages.add}</Button>
        </Form>
      )}
      <AddKey {...props} />
      {factors.length > 0 && <Recovery {...props} />}
      <Connections {...props} {...props.links} />
      <p class="note">
        <a href="/oauth2/logout">{confirmLogout.submit}</a>
      </p>
      <Signals signals={props.keys.signals} />
    </Layout>,
  )
}

function AddKey({ keys, ...props }: SignInPageProps) {
  const { accountSignIn: messages } = messagesFor(props.locale)
  if (keys.add !== 'may')
    return <p class="note">{keys.add === 'ip' ? messages.noKeysByIp : messages.tooManyKeys}</p>
  return (
    <Form {...props} hidden={{ do: 'key' }}>
      <Button kind="secondary">{messages.addKey}</Button>
    </Form>
  )
}

function Factor({ factor, index, ...props }: SignInPageProps & { factor: ShownFactor; index: number }) {
  const { id, name, kind, createdAt, lastUsedAt, suspendedAt, backedUp, rpId } = factor
  const { accountSignIn: messages } = messagesFor(props.locale)
  const kinds = { totp: messages.app, passkey: messages.passkey, security_key: messages.securityKey }
  const day = (at: number) =>
    new Intl.DateTimeFormat(props.locale, { dateStyle: 'long', timeZone: props.zone }).format(at)
  return (
    <li>
      <p>
        <Name>{name}</Name>
      </p>
      <p class="hint">{kinds[kind]}</p>
      <p class="hint">{messages.made(day(createdAt))}</p>
      {lastUsedAt !== undefined && <p class="hint">{messages.used(day(lastUsedAt))}</p>}
      {kind === 'passkey' && <p class="hint">{backedUp ? messages.synced : messages.onDevice}</p>}
      {rpId !== undefined && rpId !== props.rpId && <p>{messages.earlier(<Name>{rpId}</Name>)}</p>}
      {suspendedAt !== undefined && <p>{kind === 'totp' ? messages.suspended : messages.suspendedKey}</p>}
      <details>
        <summary>{messages.renameNamed(<Name>{name}</Name>)}</summary>
        <Form {...props} hidden={{ do: 'rename', id }}>
          <TextField
            name="name"
            id={`name-${index}`}
            label={messages.name}
            type="text"
            autocomplete="off"
            value={name}
          />
          <Button kind="secondary">{messages.rename}</Button>
        </Form>
      </details>
      <Form {...props} hidden={{ do: 'remove', id }}>
        <Button kind="quiet">{messages.removeNamed(<Name>{name}</Name>)}</Button>
      </Form>
    </li>
  )
}

function Recovery(props: SignInPageProps) {
  const { accountSignIn: messages } = messagesFor(props.locale)
  return (
    <>
      <h2>{messages.recovery}</h2>
      <p>{messages.recoveryLeft(props.recoveryLeft)}</p>
      <Form {...props} hidden={{ do: 'codes' }}>
        <Button kind="secondary">{messages.newCodes}</Button>
      </Form>
      <p class="note">{messages.newCodesNote}</p>
    </>
  )
}

export interface AddFactorPageProps extends FormPageProps, EnrolmentProps {}

/** An authenticator app is set up of one's own accord. */
export function addFactorPage(props: AddFactorPageProps): string {
  const { enrol: messages, accountSignIn } = messagesFor(props.locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    hidden: { do: 'confirm' },
    above: <p class="lead">{messages.own}</p>,
    fields: [<Enrolment {...props} />, <Checkbox name="elsewhere">{accountSignIn.elsewhere}</Checkbox>],
    buttons: <Button>{messages.submit}</Button>,
    below: <BackToFactors {...props} />,
  })
}

/** Nobody is signed in here. */
export function signInFirstPage(props: PageProps): string {
  const { accountSignIn: messages } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} title={messages.signInFirst}>
      <h1>{messages.signInFirst}</h1>
      <p>{messages.signInText}</p>
      <p>
        <a href="/account">{messages.signInAgain}</a>
      </p>
    </Layout>,
  )
}
