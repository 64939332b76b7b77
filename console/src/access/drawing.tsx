import type { Link } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Profile } from '../shared/access.ts'
import { Icon } from '../shared/icons.tsx'
import { Name } from '../shared/text.tsx'

/** What the answer is about; a machine has neither user nor profile. */
export interface About {
  permission: string
  name: string
  user?: string
  client?: string | undefined
  profile?: Profile
  place?: string
  /** The declared file that manages the user. */
  file?: string | null
}

type Step = 'person' | 'profile' | 'role' | 'permission' | 'application' | 'service' | 'scope'

/** Which condition is drawn where. */
const steps: Readonly<Record<string, Step>> = {
  permission_exists: 'permission',
  user_active: 'person',
  profile_active: 'profile',
  profile_not_expired: 'profile',
  organisation_active: 'profile',
  unit_active: 'profile',
  role_active: 'role',
  role_has_permission: 'permission',
  profile_at_client_organisation: 'application',
  profile_allowed: 'application',
  client_active: 'application',
  client_organisation_active: 'application',
  client_issuer_declared: 'application',
  client_document_read: 'application',
  client_grant: 'application',
  service_assigned: 'service',
  client_allows_permission: 'service',
  scope_assigned: 'scope',
  service_api_requested: 'scope',
}

/** Person, profile, role, permission; below it application, service, scope. What fails is told by sign and word. */
export function Drawing({ chain, about }: { chain: readonly Link[]; about: About }) {
  const { why } = useWords()
  const { name, profile, place, permission, client } = about
  const row = (nodes: Partial<Record<Step, string | undefined>>) => (
    <ol className="way">
      {Object.entries(nodes).map(([step, called]) => {
        if (called === undefined) return null
        const fails = chain.find((link) => !link.holds && steps[link.check] === step)
        return (
          <li key={step} className={fails ? 'fails' : 'holds'}>
            <small>
              {why.steps[step as Step]}
              <Icon name={fails ? 'fails' : 'holds'} />
            </small>
            <Name>{called}</Name>
            <span className={fails ? 'wrong' : 'away'}>
              {fails ? (why.short[fails.check] ?? fails.detail) : why.holds}
            </span>
          </li>
        )
      })}
    </ol>
  )
  return (
    <div className="drawing">
      {profile && row({ person: name, profile: place, role: profile.role_name, permission })}
      {client !== undefined &&
        row({
          application: client,
          service: permission.split('.')[0],
          scope: 'service.api',
          permission: profile === undefined ? permission : undefined,
        })}
    </div>
  )
}
