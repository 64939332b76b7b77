import { formPage } from '../pages/form-page.tsx'
import { Button, type FormPageProps } from '../pages/form.tsx'
import { Layout, type PageProps, renderPage } from '../pages/layout.tsx'
import { entryOf, messagesFor } from '../pages/messages/index.ts'

interface NotMe {
  /** Each event that is taken back, the newest first. */
  undone: readonly string[]
  /** Whether something is not. */
  stands: boolean
}

/** Asks once more: it signs the person out everywhere. */
export function notMePage({ undone, stands, ...props }: FormPageProps & NotMe): string {
  const { notMe: messages } = messagesFor(props.locale)
  const lines = [...new Set(undone)].flatMap((event) => {
    const several = undone.filter((one) => one === event).length > 1
    return (several && entryOf<string>(messages.undoneEach, event)) || (entryOf(messages.undone, event) ?? [])
  })
  return formPage({
    ...props,
    title: messages.title,
    heading: messages.heading,
    above: [
      <p class="lead">{messages.lead}</p>,
      <ul>
        {lines.map((one) => (
          <li>{one}</li>
        ))}
        {undone.length > 0 && <li>{messages.later}</li>}
        <li>{messages.signsOut}</li>
        <li>{messages.voids}</li>
      </ul>,
      stands && <p>{messages.stands}</p>,
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

/** The page for a link that is unknown, used or expired: nobody learns which. */
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
