import { Picture } from '../pages/brand.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface OverviewPageProps extends PageProps {
  name: string
  email: string
  /** The path of their picture. */
  picture: string | undefined
  counts: Readonly<Record<'sessions' | 'applications' | 'profiles', number>>
  paths: Readonly<
    Record<
      'person' | 'signIn' | 'sessions' | 'applications' | 'profiles' | 'activity' | 'data' | 'signOut',
      string
    >
  > & { console: string | undefined; deletion: string | undefined }
}

/** What a person may look after. */
export function overviewPage(props: OverviewPageProps): string {
  const { locale, name, email, picture, counts, paths } = props
  const { account: messages, accountSignIn } = messagesFor(locale)
  const rows = [
    { href: paths.console, title: messages.console.title, text: messages.console.text },
    { href: paths.person, title: messages.person.title, text: messages.person.text },
    { href: paths.signIn, title: accountSignIn.title, text: messages.signInText },
    { href: paths.sessions, title: messages.sessions.title, text: messages.sessions.count(counts.sessions) },
    {
      href: paths.applications,
      title: messages.applications.title,
      text: messages.applications.count(counts.applications),
    },
    { href: paths.profiles, title: messages.profiles.title, text: messages.profiles.count(counts.profiles) },
    { href: paths.activity, title: messages.activity.title, text: messages.activity.text },
    { href: paths.data, title: messages.data.title, text: messages.data.text },
    { href: paths.deletion, title: messages.deletion.title, text: messages.deletion.text },
  ]
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.title}</h1>
      <div class="account person">
        <Picture of={picture} round />
        <p>
          <Name>{name}</Name>
          <br />
          <Name>{email}</Name>
        </p>
      </div>
      <ul class="places">
        {rows
          .filter(({ href }) => href !== undefined)
          .map(({ href, title, text }) => (
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
