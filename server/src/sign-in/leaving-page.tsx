import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Name } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface LeavingPageProps extends FormPageProps {
  accountName: string
  /** When the account is removed, and the time zone that it is told in. */
  at: number
  zone: string
}

/** All that is left to a person who asked to be removed: to stay. */
export function leavingPage(props: LeavingPageProps): string {
  const { locale, accountName, at, zone: timeZone } = props
  const { common, account } = messagesFor(locale)
  const { deletion: messages } = account
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(at)
  return formPage({
    ...props,
    title: messages.waiting,
    above: [
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>,
      <p>{messages.until(date)}</p>,
    ],
    buttons: [
      <Button choice="keep">{messages.keep}</Button>,
      <Button kind="secondary" choice="switch">
        {common.useAnotherAccount}
      </Button>,
    ],
    below: <p class="note">{messages.nothing}</p>,
  })
}
