import { formPage } from './form-page.tsx'
import { Button, type FormPageProps } from './form.tsx'
import { Name } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface ConfirmLogoutPageProps extends FormPageProps {
  accountName: string
  clientName?: string | undefined
}

export function confirmLogoutPage(props: ConfirmLogoutPageProps): string {
  const { locale, accountName, clientName } = props
  const { common, confirmLogout: messages } = messagesFor(locale)
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: [
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>,
      <p>{clientName ? messages.textClient(<Name>{clientName}</Name>) : messages.text}</p>,
    ],
    fields: (
      <div class="actions actions-equal">
        <Button>{messages.submit}</Button>
        <Button kind="secondary" choice="stay">
          {messages.stay}
        </Button>
      </div>
    ),
  })
}
