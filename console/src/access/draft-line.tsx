import { useQuery } from '@tanstack/react-query'
import { answered, proposed } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { usePlaces } from '../shared/place.ts'
import { Name } from '../shared/text.tsx'
import type { Drafted } from './drafted.ts'

interface Thing {
  name?: string
  client_name?: string
  role_code?: string
  organisation_uuid?: string | null
  organisation_unit_uuid?: string | null
}

/** A thing below /admin/v1; undefined while it is read, or where it may not be. */
function useThing(list: string, id: string): Thing | undefined {
  const { data } = useQuery({
    queryKey: ['drafted', list, id],
    enabled: id !== '',
    retry: false,
    queryFn: () => answered(proposed('GET', `/${list}/${encodeURIComponent(id)}`, {})),
  })
  return data as Thing | undefined
}

const nameOf = (thing: Thing | undefined, id: string): string => thing?.name ?? thing?.client_name ?? id

/** A drafted change as a sentence. */
export function DraftLine({ of: one }: { of: Drafted }) {
  return (
    <strong>
      <Name>{useTitle(one)}</Name>
    </strong>
  )
}

function useTitle(one: Drafted): string {
  const { whatIf } = useWords()
  const { says } = whatIf
  const role = 'role' in one ? one.role : ''
  const roleName = nameOf(useThing('roles', role), role)
  const user = 'user' in one ? one.user : ''
  const userName = nameOf(useThing('users', user), user)
  const profile = useThing('profiles', one.kind === 'end' ? one.profile : '')
  const [list, id] = one.kind === 'disable' ? [one.what, one.id] : ['', '']
  const thingName = nameOf(useThing(list, id), id)
  const given = one.kind === 'give' ? one : undefined
  const place = {
    organisation_uuid: given ? given.organisation || null : (profile?.organisation_uuid ?? null),
    organisation_unit_uuid: given ? given.unit || null : (profile?.organisation_unit_uuid ?? null),
  }
  const where = usePlaces([place])(place)
  if (one.kind === 'give') return says.give(userName, roleName, where)
  if (one.kind === 'end') return says.end(userName, profile?.role_code ?? one.profile, where)
  if (one.kind === 'disable') return says.disable(whatIf.things[one.what], thingName)
  return one.kind === 'adds' ? says.adds(roleName, one.permission) : says.takes(roleName, one.permission)
}
