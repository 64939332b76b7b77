import { formPage, Problem } from '../pages/form-page.tsx'
import { Button, type FormPageProps, TextField } from '../pages/form.tsx'
import { Layout, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface DevicePageProps extends FormPageProps {
  /** What was typed, or came with the address. */
  userCode?: string | undefined
  error?: 'missing' | 'unknown' | { retryAfterSeconds: number } | undefined
}

/** Asks for the code that a person's device shows. */
export function devicePage(props: DevicePageProps): string {
  const { locale, userCode, error } = props
  const { common, device: messages } = messagesFor(locale)
  const tooMany = typeof error === 'object'
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: [
      <p class="lead">{messages.lead}</p>,
      <Problem>{tooMany && messages.tooMany(error.retryAfterSeconds)}</Problem>,
    ],
    fields: (
      <TextField
        name="user_code"
        label={messages.code}
        type="text"
        autocomplete="off"
        hint={messages.hint}
        value={userCode}
        error={error === undefined || tooMany ? undefined : messages[error]}
        autofocus={!tooMany}
      />
    ),
    buttons: <Button>{common.continue}</Button>,
    below: <p class="note">{messages.note}</p>,
  })
}

/** `allowedBefore`: somebody refused a device that had been allowed. */
export type DeviceOutcome = 'allowed' | 'denied' | 'allowedBefore'

/** What a person sees at the end: the rest happens on the device. */
export function deviceDonePage(props: PageProps & { outcome: DeviceOutcome }): string {
  const { deviceDone, account } = messagesFor(props.locale)
  const messages = deviceDone[props.outcome]
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p>{messages.text}</p>
      {props.outcome === 'allowedBefore' && (
        <p>
          <a href="/account/applications">{account.applications.title}</a>
        </p>
      )}
    </Layout>,
  )
}
