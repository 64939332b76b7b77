import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Layout, type PageProps, renderPage } from '../pages/layout.tsx'
import { entryOf, messagesFor } from '../pages/messages/index.ts'

interface NotMe {
  event: string
  /** Whether anything is taken back. */
  undoes: boolean
}

/** Asks once more: it signs the person out everywhere. */
export function notMePage({ event, undoes, ...props }: FormPageProps & NotMe): string {
  const { notMe: messages } = messagesFor(props.locale)
  const undone = undoes ? entryOf<string>(messages.undone, event) : undefined
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: [
      <p class="lead">{messages.lead}</p>,
      <ul>
        {undone !== undefined && <li>{undone}</li>}
        {undoes && <li>{messages.later}</li>}
        <li>{messages.signsOut}</li>
        <li>{messages.voids}</li>
      </ul>,
      !undoes && <p>{messages.stands}</p>,
    ],
    buttons: <Button>{messages.submit}</Button>,
    below: <p class="note">{messages.wasMe}</p>,
  })
}

interface AfterProps extends PageProps {
  /** The path of the account, which leads to the sign-in. */
  account: string
}

export function notMeDonePage({ account, ...props }: AfterProps): string {
  const { notMe: messages } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} title={messages.doneHeading}>
      <h1>{messages.doneHeading}</h1>
      <p>{messages.done}</p>
      <p>
        <a href={account}>{messages.account}</a>
      </p>
    </Layout>,
  )
}

/** Of a link that is unknown, used or expired: nobody learns which. */
export function notMeEndedPage({ account, ...props }: AfterProps): string {
  const { notMe: messages } = messagesFor(props.locale)
  return renderPage(
    <Layout {...props} title={messages.endedHeading} error>
      <h1>{messages.endedHeading}</h1>
      <p>{messages.ended}</p>
      <p>
        <a href={account}>{messages.account}</a>
      </p>
    </Layout>,
  )
}
