import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { NewPasskey } from '../pages/new-passkey.tsx'
import { NewPassword, type NewPasswordError } from '../pages/new-password.tsx'
import {
  FactorAlert,
  FactorFields,
  type FactorQuestion,
  KeyOffer,
  OtherQuestion,
} from './second-factor-page.tsx'

interface OfLink extends FormPageProps {
  /** The address, masked: who has the link may not be its owner. */
  account: string
}

export interface ResetPageProps extends OfLink {
  /** Characters that it needs. */
  least: number
  /** The path of options for a passkey, which is offered first; undefined: there is a password. */
  keysFrom?: string | undefined
  error?: NewPasswordError | 'wrongKey' | undefined
}

/** Asks for a new password, or for a passkey in its place. */
export function resetPage(props: ResetPageProps): string {
  const { locale, account, least, keysFrom, error } = props
  const { reset: messages, enrolKey } = messagesFor(locale)
  const [lead, wrong] = [messages.lead(<Name>{account}</Name>), error === 'wrongKey']
  const fields = (
    <NewPassword
      locale={locale}
      labels={messages}
      least={least}
      error={error === 'wrongKey' ? undefined : error}
      autofocus={keysFrom === undefined || (error !== undefined && !wrong)}
    />
  )
  const frame = { ...props, below: <p class="note">{messages.ends}</p> }
  if (keysFrom === undefined)
    return formPage({
      ...frame,
      title: messages.title,
      heading: messages.heading,
      above: <p class="lead">{lead}</p>,
      fields,
      buttons: <Button>{messages.submit}</Button>,
    })
  return formPage({
    ...frame,
    title: messages.waysTitle,
    above: [
      <p class="lead">{lead}</p>,
      <Problem>{wrong && enrolKey.wrong}</Problem>,
      <p>{messages.passkeyText}</p>,
    ],
    fields: [
      <NewPasskey locale={locale} keysFrom={keysFrom} kind="primary" />,
      <h2>{messages.orPassword}</h2>,
      fields,
    ],
    buttons: <Button kind="secondary">{messages.submit}</Button>,
  })
}

export interface ResetFactorPageProps extends OfLink, FactorQuestion {
  /** The address of this page with the other question. Undefined: there is none to ask. */
  other: string | undefined
}

/** Asks for the second factor before a new password: the mailbox alone takes nothing over. */
export function resetFactorPage(props: ResetFactorPageProps): string {
  const { locale, account, asks } = props
  const { reset: messages, secondFactor } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: [<p class="lead">{messages.factorLead(<Name>{account}</Name>)}</p>, <FactorAlert {...props} />],
    fields: <FactorFields {...props} />,
    buttons: [asks !== 'none' && <Button>{secondFactor.submit}</Button>, <KeyOffer {...props} />],
    below: [<OtherQuestion {...props} />, <p class="note">{messages.lost}</p>],
  })
}

/** The page for a link that is unknown, used, replaced or expired: nobody learns which. */
export function resetEndedPage(props: PageProps & { again: string | undefined }): string {
  const { locale, again } = props
  const { resetEnded: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title} error>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      <p>{again === undefined ? messages.ask : <a href={again}>{messages.again}</a>}</p>
    </Layout>,
  )
}
