import { Name } from '../pages/layout.tsx'
import type { Locale } from '../pages/locale.ts'
import { messagesFor } from '../pages/messages/index.ts'
import { ProfilePlace } from '../sign-in/choose-profile-page.tsx'

/** A profile that is offered, as people know it. */
interface ShownOffer {
  role_name: string
  organisation_name: string | null
  unit_name: string | null
}

export interface OfferedProps {
  locale: Locale
  offers: readonly ShownOffer[]
  /** The client that the invitation leads to. */
  client: { client_name: string } | undefined
}

/** The organisation that invites, where it is one alone, and what it invites to. */
export function Lead({ locale, offers, client }: OfferedProps) {
  const { invitation: messages } = messagesFor(locale)
  const [organisation, ...others] = new Set(offers.map((one) => one.organisation_name))
  const who = others.length === 0 && organisation ? <Name>{organisation}</Name> : undefined
  const what = client && <Name>{client.client_name}</Name>
  return (
    <p class="lead">
      {who && what
        ? messages.leadBoth(who, what)
        : who
          ? messages.leadOrganisation(who)
          : what
            ? messages.leadClient(what)
            : messages.lead}
    </p>
  )
}

export function Offers({ locale, offers }: OfferedProps) {
  const { invitation: messages } = messagesFor(locale)
  return offers.length === 0 ? null : (
    <section>
      <h2>{messages.offers}</h2>
      <ul class="scopes">
        {offers.map((one) => (
          <li>
            <ProfilePlace of={one} />
          </li>
        ))}
      </ul>
    </section>
  )
}
