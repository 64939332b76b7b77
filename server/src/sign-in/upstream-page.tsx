import type { Child } from 'hono/jsx'
import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { PasswordField } from '../pages/controls.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export type FailedBecause =
  | 'unreachable'
  | 'setup'
  | 'denied'
  | 'over'
  | 'too_old'
  | 'inactive'
  | 'unknown_person'
  | 'no_address'
  | 'outside_domains'
  | 'conflict'
  | 'disabled'
  // The rest is of a proof or a link on the page of the account.
  | 'other_person'
  | 'untimed'
  | 'taken'
  | 'needed'

/** An upstream as people know it. */
export interface NamedUpstream {
  uuid: string
  name: string
}

/** A sign-in through an upstream did not work; nothing is tried again by itself. */
export function upstreamFailedPage(
  props: PageProps & { name: string; because: FailedBecause; back: string },
): string {
  const { locale, name, because, back } = props
  const { upstream: messages } = messagesFor(locale)
  const title = messages.failedTitle(name)
  return renderPage(
    <Layout {...props} title={title} error numbered>
      <h1>{title}</h1>
      <p>{messages.failed[because]}</p>
      <p>
        <a href={back}>{messages.back}</a>
      </p>
    </Layout>,
  )
}

/** An organisation that has several upstreams, or whose policy wants one. */
export function upstreamChoicePage(
  props: FormPageProps & { upstreams: readonly NamedUpstream[]; organisation?: string | undefined },
): string {
  const { locale, upstreams, organisation } = props
  const { upstream: messages, common } = messagesFor(locale)
  const [only, ...others] = upstreams
  const isOne = only !== undefined && others.length === 0
  const title = isOne ? messages.requiredTitle(only.name) : messages.chooseTitle
  return formPage({
    ...props,
    title,
    above: (
      <p>
        {organisation === undefined
          ? messages.chooseText
          : messages.requiredText(<Name>{organisation}</Name>)}
      </p>
    ),
    buttons: [
      ...upstreams.map(({ uuid, name }) => (
        <Button kind={isOne ? 'primary' : 'secondary'} choice={`upstream:${uuid}`}>
          {messages.continueWith(name)}
        </Button>
      )),
      <Button kind="quiet" choice="switch">
        {common.useAnotherAccount}
      </Button>,
      <Button kind="quiet" choice="cancel">
        {common.cancel}
      </Button>,
    ],
  })
}

export interface DirectoryPageProps extends FormPageProps {
  name: string
  typed?: string | undefined
  error?: 'missing' | 'wrongCredentials' | 'throttled' | undefined
}

/** The name and password of an organisation's directory. */
export function directoryPage(props: DirectoryPageProps): string {
  const { locale, name } = props
  const { upstream: messages, common } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.requiredTitle(name),
    above: [<p class="lead">{messages.ldapText(<Name>{name}</Name>)}</p>, directoryProblem(props)],
    fields: directoryFields(props),
    buttons: [
      <Button>{messages.submit}</Button>,
      <Button kind="quiet" choice="cancel">
        {common.cancel}
      </Button>,
    ],
  })
}

type TypedThere = Pick<DirectoryPageProps, 'locale' | 'typed' | 'error'>

/** The problem with a name and password; nothing where none is. */
export const directoryProblem = ({ locale, error }: TypedThere): Child => (
  <Problem>{error && messagesFor(locale).upstream[error]}</Problem>
)

export function directoryFields({ locale, typed, error }: TypedThere): Child {
  const { upstream: messages } = messagesFor(locale)
  return [
    <TextField
      name="name"
      label={messages.name}
      type="text"
      autocomplete="username"
      value={typed}
      autofocus={error === undefined && typed === undefined}
    />,
    <PasswordField
      locale={locale}
      name="password"
      label={messages.password}
      autocomplete="current-password"
      autofocus={error === undefined && typed !== undefined}
    />,
  ]
}

/** The account with the address is there already: its person connects the two sign-ins, or does not. */
export function upstreamLinkPage(
  props: FormPageProps & { name: string; email: string; subject: string; accountName: string },
): string {
  const { locale, name, email, subject, accountName } = props
  const { upstream: messages, common } = messagesFor(locale)
  const upstream = <Name>{name}</Name>
  return formPage({
    ...props,
    title: messages.linkTitle,
    above: [
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>,
      <p>{messages.linkText(<Name>{email}</Name>, upstream)}</p>,
      <p>{messages.linkAs(<Name>{subject}</Name>, upstream)}</p>,
    ],
    buttons: [
      <Button choice="link">{messages.link}</Button>,
      <Button kind="secondary" choice="not_now">
        {messages.notNow}
      </Button>,
    ],
  })
}
