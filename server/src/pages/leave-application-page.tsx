import { formPage } from './form-page.tsx'
import { Button, type FormPageProps } from './form.tsx'
import { Name } from './layout.tsx'
import { messagesFor } from './messages/index.ts'

export interface LeaveApplicationPageProps extends FormPageProps {
  clientName: string
}

/** Asks before somebody is signed out of one application. */
export function leaveApplicationPage(props: LeaveApplicationPageProps): string {
  const messages = messagesFor(props.locale).confirmLogout
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: <p>{messages.textHere(<Name>{props.clientName}</Name>)}</p>,
    fields: (
      <div class="actions">
        <Button>{messages.submit}</Button>
      </div>
    ),
  })
}
