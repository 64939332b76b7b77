import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface OverviewPageProps extends PageProps {
  name: string
  email: string
  counts: { sessions: number }
  paths: Readonly<Record<'signIn' | 'sessions' | 'signOut', string>>
}

/** What a person may look after. */
export function overviewPage(props: OverviewPageProps): string {
  const { locale, name, email, counts, paths } = props
  const { account: messages, accountSignIn } = messagesFor(locale)
  const rows = [
    { href: paths.signIn, title: accountSignIn.title, text: messages.signInText },
    { href: paths.sessions, title: messages.sessions.title, text: messages.sessions.count(counts.sessions) },
  ]
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.title}</h1>
      <p class="account">
        <Name>{name}</Name>
        <br />
        <Name>{email}</Name>
      </p>
      <ul class="places">
        {rows.map(({ href, title, text }) => (
          <li>
            <a href={href}>{title}</a>
            <span>{text}</span>
          </li>
        ))}
      </ul>
      <p class="note">
        <a href={paths.signOut}>{messages.signOut}</a>
      </p>
    </Layout>,
  )
}
