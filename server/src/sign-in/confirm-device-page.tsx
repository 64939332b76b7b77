import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { ProfilePlace, type ProfileNames } from './choose-profile-page.tsx'
import { type AllowanceProps, AllowanceParts, Decision } from './consent-page.tsx'

export interface ConfirmDevicePageProps extends FormPageProps, AllowanceProps {
  accountName: string
  /** The one that the device acts under. */
  profile: ProfileNames
  /** The code as the device shows it. */
  userCode: string
}

export function confirmDevicePage(props: ConfirmDevicePageProps): string {
  const { locale, clientName } = props
  const { common, confirmDevice: messages } = messagesFor(locale)
  const client = <Name>{clientName}</Name>
  return formPage({
    ...props,
    title: messages.title(clientName),
    heading: messages.heading(client),
    above: [
      <p class="account">{common.signedInAs(<Name>{props.accountName}</Name>)}</p>,
      <p class="choice-text">
        <ProfilePlace of={props.profile} />
      </p>,
      <p>{messages.compare}</p>,
      <p class="user-code" translate="no">
        {props.userCode}
      </p>,
      <p class="caution">
        <strong>{messages.warning}</strong> {messages.why(client)}
      </p>,
      <AllowanceParts {...props} />,
    ],
    fields: <Decision locale={locale} />,
    buttons: (
      <Button kind="quiet" choice="switch">
        {common.useAnotherAccount}
      </Button>
    ),
  })
}
