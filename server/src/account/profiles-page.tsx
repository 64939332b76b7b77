import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { type ConsentService, ServicePart } from '../sign-in/consent-page.tsx'
import { BackToAccount, moment } from './parts.tsx'

export interface ShownProfile {
  roleName: string
  organisationName?: string | undefined
  unitName?: string | undefined
  until?: number | undefined
  services: readonly ConsentService[]
}

export interface ProfilesPageProps extends PageProps {
  profiles: readonly ShownProfile[]
  zone: string
}

/** Shows the profiles of a person: their places, their ends and their permissions. */
export function profilesPage(props: ProfilesPageProps): string {
  const { locale, profiles } = props
  const { profiles: messages } = messagesFor(locale).account
  return renderPage(
    <Layout {...props} title={messages.title}>
      <BackToAccount locale={locale} />
      <h1>{messages.title}</h1>
      <p class="lead">{profiles.length === 0 ? messages.none : messages.lead}</p>
      <ul class="factors">
        {profiles.map((one) => (
          <Profile {...props} one={one} />
        ))}
      </ul>
    </Layout>,
  )
}

function Profile({ one, locale, zone }: ProfilesPageProps & { one: ShownProfile }) {
  const { account, consent } = messagesFor(locale)
  const { profiles: messages } = account
  const places = [one.organisationName, one.unitName].filter((place) => place !== undefined)
  return (
    <li>
      <p>
        <Name>{one.roleName}</Name>
      </p>
      {places.map((place) => (
        <p class="hint">
          <Name>{place}</Name>
        </p>
      ))}
      {one.until !== undefined && <p>{messages.until(moment(locale, zone, one.until))}</p>}
      <details>
        <summary>{messages.details}</summary>
        {one.services.length === 0 && <p>{messages.nothing}</p>}
        {one.services.map((service) => (
          <ServicePart messages={consent} service={service} />
        ))}
      </details>
    </li>
  )
}
