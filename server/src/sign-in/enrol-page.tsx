import { Enrolment, type EnrolmentProps } from '../pages/enrolment.tsx'
import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface EnrolPageProps extends FormPageProps {
  clientName: string
  /** An authenticator app to set up; undefined: it would not be enough. */
  enrolment: Omit<EnrolmentProps, 'locale'> | undefined
  /** The days of grace that are left; undefined: none. */
  graceDays: number | undefined
}

/** A second factor is set up on the way, because it is demanded. */
export function enrolPage(props: EnrolPageProps): string {
  const { locale, clientName, graceDays, enrolment } = props
  const { common, enrol: messages } = messagesFor(locale)
  return renderPage(
    <Layout {...props} title={messages.title} error={enrolment?.error !== undefined}>
      <h1>{messages.heading}</h1>
      <p class="lead">{messages.lead(<Name>{clientName}</Name>)}</p>
      <Form {...props}>
        {enrolment && <Enrolment {...enrolment} locale={locale} />}
        <div class="actions">
          {enrolment && <Button>{messages.submit}</Button>}
          {graceDays !== undefined && (
            <Button kind="secondary" choice="later">
              {messages.later}
            </Button>
          )}
          <Button kind="quiet" choice="decline">
            {messages.decline}
          </Button>
          <Button kind="quiet" choice="switch">
            {common.useAnotherAccount}
          </Button>
        </div>
      </Form>
      {graceDays !== undefined && <p class="note">{messages.laterNote(graceDays)}</p>}
    </Layout>,
  )
}
