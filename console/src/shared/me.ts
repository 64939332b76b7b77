import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answered(api.GET('/admin/v1/me')),
  staleTime: 60_000,
})

export type Me = components['schemas']['Me']

/** The person signed in, where they administer, and what they may do. The server decides; this chooses what is offered. */
export const useMe = () => useSuspenseQuery(meQuery).data

export function useMay(): (permission: string) => boolean {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission) || permissions.includes('iam.*')
}

/** An invitation comes with a profile, which is what a role is given by. */
export function useMayInvite(): boolean {
  const may = useMay()
  return ['iam.invitations.create', 'iam.profiles.create', 'iam.roles.read'].every(may)
}

/** Whether declared files and exports of other systems are read for them: who administers everything, as the API decides. */
export function useMayDeclare(): boolean {
  const may = useMay()
  return useMe().reach.kind === 'installation' && may('iam.declared.read')
}

/** Each row of a file may come with a profile. */
export function useMayImport(): boolean {
  const may = useMay()
  return ['iam.users.create', 'iam.profiles.create'].every(may)
}

interface NamedPlace {
  organisation_name: string | null
  organisation_unit_name: string | null
}

/** Where somebody administers, by name: "Acme › Intake". */
export function usePlaceName(): (place: NamedPlace) => string {
  const { account } = useWords()
  return ({ organisation_name: organisation, organisation_unit_name: unit }) =>
    [organisation ?? account.everywhere, unit].filter(Boolean).join(' › ')
}
