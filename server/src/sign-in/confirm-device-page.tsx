import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { ProfilePlace, type ProfileNames } from './choose-profile-page.tsx'
import { type AllowanceProps, AllowanceParts } from './consent-page.tsx'

export interface ConfirmDevicePageProps extends FormPageProps, AllowanceProps {
  accountName: string
  /** The one that the device acts under. */
  profile: ProfileNames
  /** As the device shows it. */
  userCode: string
}

export function confirmDevicePage(props: ConfirmDevicePageProps): string {
  const { locale, clientName } = props
  const { common, consent, confirmDevice: messages } = messagesFor(locale)
  const client = <Name>{clientName}</Name>
  return renderPage(
    <Layout {...props} title={messages.title(clientName)}>
      <h1>{messages.heading(client)}</h1>
      <p class="account">{common.signedInAs(<Name>{props.accountName}</Name>)}</p>
      <p class="choice-text">
        <ProfilePlace {...props.profile} />
      </p>
      <p>{messages.compare}</p>
      <p class="user-code" translate="no">
        {props.userCode}
      </p>
      <p class="caution">
        <strong>{messages.warning}</strong> {messages.why(client)}
      </p>
      <AllowanceParts {...props} />
      <Form {...props}>
        <div class="actions actions-equal">
          <Button choice="allow">{consent.allow}</Button>
          <Button kind="secondary" choice="deny">
            {consent.deny}
          </Button>
        </div>
        <div class="actions">
          <Button kind="quiet" choice="switch">
            {common.useAnotherAccount}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}
