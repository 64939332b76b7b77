import { Picture } from '../pages/brand.tsx'
import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'

export interface HomePageProps extends PageProps {
  accountName: string
  applications: readonly { name: string; clientUri: string; logo: string | undefined }[]
  /** The address of the console, for administrators. */
  console: string | undefined
  account: string
}

/** The applications that somebody may open. */
export function homePage(props: HomePageProps): string {
  const { locale, accountName, applications, console, account } = props
  const { common, account: words } = messagesFor(locale)
  const { home: messages } = words
  const known = applications.flatMap(({ name, clientUri, logo }) => {
    const address = URL.canParse(clientUri) ? new URL(clientUri) : undefined
    // Escaping does not disarm `javascript:`.
    return address !== undefined && /^https?:$/.test(address.protocol) ? [{ name, address, logo }] : []
  })
  return renderPage(
    <Layout {...props} title={messages.title}>
      <h1>{messages.title}</h1>
      <p class="account">{common.signedInAs(<Name>{accountName}</Name>)}</p>
      {known.length === 0 && !console && <p>{messages.none}</p>}
      <ul class="places">
        {console && (
          <li>
            <a href={console}>{words.console.title}</a>
            <span>{words.console.text}</span>
          </li>
        )}
        {known.map(({ name, address, logo }) => (
          <li class={logo && 'pictured'}>
            <Picture of={logo} />
            <a href={address.href} rel="noreferrer">
              <Name>{name}</Name>
            </a>
            <span>
              <bdi>{address.host}</bdi>
            </span>
          </li>
        ))}
      </ul>
      <p class="note">
        <a href={account}>{words.title}</a>
      </p>
    </Layout>,
  )
}
