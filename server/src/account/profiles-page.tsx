import { Layout, Name, type PageProps, renderPage } from '../pages/layout.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import type { ProfileNames } from '../sign-in/choose-profile-page.tsx'
import { type ConsentService, ServicePart } from '../sign-in/consent-page.tsx'
import { BackToAccount, moment } from './parts.tsx'

interface ShownProfile {
  profile: ProfileNames & { held_until: number | null }
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

function Profile({ one: { profile, services }, locale, zone }: ProfilesPageProps & { one: ShownProfile }) {
  const { account, consent } = messagesFor(locale)
  const { profiles: messages } = account
  const places = [profile.organisation_name, profile.unit_name].filter((place) => place !== null)
  return (
    <li>
      <p>
        <Name>{profile.role_name}</Name>
      </p>
      {places.map((place) => (
        <p class="hint">
          <Name>{place}</Name>
        </p>
      ))}
      {profile.held_until !== null && <p>{messages.until(moment(locale, zone, profile.held_until))}</p>}
      <details>
        <summary>{messages.details}</summary>
        {services.length === 0 && <p>{messages.nothing}</p>}
        {services.map((service) => (
          <ServicePart messages={consent} service={service} />
        ))}
      </details>
    </li>
  )
}
