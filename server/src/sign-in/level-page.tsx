import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface LevelPageProps extends FormPageProps {
  clientName: string
  /** The days of grace that are left; undefined: none. */
  graceDays: number | undefined
}

/** Says that a second factor is demanded. */
export function levelPage(props: LevelPageProps): string {
  const { locale, clientName, graceDays } = props
  const { common, enrol: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.heading}</h1>
      <p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>
      {graceDays !== undefined && <p class="note">{messages.laterNote(graceDays)}</p>}
      <Form {...props}>
        <div class="actions">
          {graceDays !== undefined && <Button choice="later">{messages.later}</Button>}
          <Button kind="secondary" choice="decline">
            {messages.decline}
          </Button>
          <Button kind="secondary" choice="switch">
            {common.useAnotherAccount}
          </Button>
        </div>
      </Form>
    </Layout>,
  )
}
