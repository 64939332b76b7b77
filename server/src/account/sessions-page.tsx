import { Button, Form, type FormPageProps } from '../pages/form.tsx'
import { Layout, Name, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import type { TrustedDevice } from '../store/trusted-devices.ts'
import { BackToAccount, Done, moment } from './parts.tsx'

interface ShownSession {
  sid: string
  createdAt: number
  lastSeenAt: number
  browser: string | undefined
  network: string | undefined
}

export interface SessionsPageProps extends FormPageProps {
  sessions: readonly ShownSession[]
  trusted: readonly TrustedDevice[]
  /** The sid of this one. */
  current: string
  zone: string
  done: string | undefined
}

export function sessionsPage(props: SessionsPageProps): string {
  const { locale, sessions, current, done } = props
  const { sessions: messages } = messagesFor(locale).account
  return renderPage(
    <Layout {...props} title={messages.title}>
      <BackToAccount locale={locale} />
      <h1>{messages.title}</h1>
      <Done done={done} words={messages.done} />
      <p class="lead">{messages.lead}</p>
      <ul class="factors">
        {sessions.map((one) => (
          <Session {...props} one={one} />
        ))}
      </ul>
      {sessions.some(({ sid }) => sid !== current) && (
        <Form {...props} hidden={{ do: 'others' }}>
          <Button kind="secondary">{messages.endOthers}</Button>
        </Form>
      )}
      {props.trusted.length > 0 && <Trusted {...props} />}
    </Layout>,
  )
}

/** The browsers that are not asked for a second factor. */
function Trusted({ trusted, zone, ...props }: SessionsPageProps) {
  const { trusted: messages } = messagesFor(props.locale).account.sessions
  return (
    <>
      <h2>{messages.title}</h2>
      <p>{messages.lead}</p>
      <ul class="factors">
        {trusted.map(({ id, label, provedAt }) => (
          <li>
            <p>
              <strong>{label}</strong>
            </p>
            <p class="hint">{messages.since(moment(props.locale, zone, provedAt))}</p>
            <Form {...props} hidden={{ do: 'forget', id }}>
              <Button kind="quiet">{messages.end}</Button>
            </Form>
          </li>
        ))}
      </ul>
    </>
  )
}

function Session({ one, current, zone, ...props }: SessionsPageProps & { one: ShownSession }) {
  const { locale } = props
  const { sessions: messages } = messagesFor(locale).account
  const at = (time: number) => moment(locale, zone, time)
  return (
    <li>
      <p>
        <strong>{one.browser ?? messages.unknown}</strong>
      </p>
      {one.sid === current && <p>{messages.here}</p>}
      <p class="hint">{messages.seen(at(one.lastSeenAt))}</p>
      <p class="hint">{messages.began(at(one.createdAt))}</p>
      {one.network !== undefined && <p class="hint">{messages.from(<Name>{one.network}</Name>)}</p>}
      {one.sid !== current && (
        <Form {...props} hidden={{ do: 'end', sid: one.sid }}>
          <Button kind="quiet">{messages.end}</Button>
        </Form>
      )}
    </li>
  )
}
