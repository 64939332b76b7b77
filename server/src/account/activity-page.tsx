import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { entryOf, messagesFor } from '../pages/messages/index.ts'
import { BackToAccount, moment } from './parts.tsx'

export interface ShownRecord {
  at: number
  kind: string
  /** Undefined: the person, or somebody who did not prove who they are. */
  by: 'service' | 'other' | undefined
  network: string | undefined
  /** The name of the application; empty in records of versions before: none. */
  client: string | undefined
}

export interface ActivityPageProps extends PageProps {
  records: readonly ShownRecord[]
  /** The address of the page of earlier records. */
  older: string | undefined
  zone: string
}

/** What happened, the newest first. */
export function activityPage(props: ActivityPageProps): string {
  const { locale, records, older, zone } = props
  const { activity: messages } = messagesFor(locale).account
  return renderPage(
    <Layout {...props} title={messages.title}>
      <BackToAccount locale={locale} />
      <h1>{messages.title}</h1>
      <p class="lead">{records.length === 0 ? messages.none : messages.lead}</p>
      <ul class="scopes">
        {records.map(({ at, kind, by, network, client }) => (
          <li>
            <strong>{entryOf(messages.kinds, kind) ?? kind}</strong>
            <span>{moment(locale, zone, at)}</span>
            {by !== undefined && <span>{messages.by[by]}</span>}
            {network !== undefined && <span>{messages.from(<Name>{network}</Name>)}</span>}
            {client && <span>{messages.through(<Name>{client}</Name>)}</span>}
          </li>
        ))}
      </ul>
      {older !== undefined && (
        <p class="note">
          <a href={older}>{messages.older}</a>
        </p>
      )}
    </Layout>,
  )
}
