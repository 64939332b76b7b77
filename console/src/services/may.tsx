import type { Service } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe, usePlaceName } from '../shared/me.ts'

const changes = [
  'iam.services.update',
  'iam.services.delete',
  'iam.permissions.create',
  'iam.permissions.update',
  'iam.permissions.delete',
]

/** Services belong to the whole installation, and nobody changes the built-in one, as the API has it. */
export function useMayOf(): (service: Service, permission: string) => boolean {
  const may = useMay()
  const { kind } = useMe().reach
  return ({ built_in: builtIn }, permission) => kind === 'installation' && !builtIn && may(permission)
}

/** Why there is nothing to press. */
export function WhyNot(service: Service) {
  const { service: words } = useWords()
  const { reach } = useMe()
  const placeName = usePlaceName()
  const mayOf = useMayOf()
  if (changes.some((one) => mayOf(service, one))) return null
  if (service.built_in) return <p className="lead">{words.unchanged}</p>
  return (
    <p className="lead">
      {reach.kind === 'installation' ? words.readOnly : words.ofInstallation(placeName(reach))}
    </p>
  )
}
