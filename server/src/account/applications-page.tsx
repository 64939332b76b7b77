import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { type AllowanceProps, AllowanceParts } from '../sign-in/consent-page.tsx'
import { BackToAccount, Done, moment } from './parts.tsx'

export interface ShownApplication extends Omit<AllowanceProps, 'locale'> {
  client_id: string
  grantedAt: number
  /** None of the person's profiles lets them in. */
  shut: boolean
}

export interface ApplicationsPageProps extends FormPageProps {
  applications: readonly ShownApplication[]
  /** Applications with access that needed no consent. */
  unasked: readonly { client_id: string; clientName: string; since: number }[]
  zone: string
  done?: string | undefined
}

/** What somebody allowed applications. */
export function applicationsPage(props: ApplicationsPageProps): string {
  const { locale, applications, done } = props
  const { applications: messages } = messagesFor(locale).account
  return renderPage(
    <Layout {...props} title={messages.title}>
      <BackToAccount locale={locale} />
      <h1>{messages.title}</h1>
      <Done done={done} words={messages.done} />
      <p class="lead">{applications.length === 0 ? messages.none : messages.lead}</p>
      <ul class="factors">
        {applications.map((one) => (
          <Application {...props} one={one} />
        ))}
      </ul>
      {props.unasked.length > 0 && <Unasked {...props} />}
    </Layout>,
  )
}

function Unasked({ unasked, zone, ...props }: ApplicationsPageProps) {
  const { unasked: messages } = messagesFor(props.locale).account.applications
  return (
    <>
      <h2>{messages.title}</h2>
      <p>{messages.lead}</p>
      <ul class="factors">
        {unasked.map(({ client_id, clientName, since }) => (
          <li>
            <p>
              <Name>{clientName}</Name>
            </p>
            <p class="hint">{messages.since(moment(props.locale, zone, since))}</p>
            <Form {...props} hidden={{ do: 'withdraw', client_id }}>
              <Button kind="quiet">{messages.end(<Name>{clientName}</Name>)}</Button>
            </Form>
          </li>
        ))}
      </ul>
    </>
  )
}

function Application({ one, zone, ...props }: ApplicationsPageProps & { one: ShownApplication }) {
  const { locale } = props
  const { applications: messages } = messagesFor(locale).account
  const { client_id, clientName, grantedAt } = one
  return (
    <li>
      <p>
        <Name>{clientName}</Name>
      </p>
      <p class="hint">{messages.allowed(moment(locale, zone, grantedAt))}</p>
      {one.shut && <p class="hint">{messages.shut}</p>}
      <details>
        <summary>{messages.details}</summary>
        <AllowanceParts {...one} locale={locale} />
      </details>
      <Form {...props} hidden={{ do: 'withdraw', client_id }}>
        <Button kind="quiet">{messages.withdraw(<Name>{clientName}</Name>)}</Button>
      </Form>
    </li>
  )
}
