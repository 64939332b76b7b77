import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answered(api.GET('/admin/v1/me')),
  staleTime: 60_000,
})

/** Who is signed in, where they administer, and what they may do. The server decides; this chooses what is offered. */
export const useMe = () => useSuspenseQuery(meQuery).data

export function useMay(): (permission: string) => boolean {
  const { permissions } = useMe()
  return (permission) => permissions.includes(permission) || permissions.includes('iam.*')
}

interface Place {
  organisation_name: string | null
  organisation_unit_name: string | null
}

/** Where somebody administers, by name: "Acme › Intake". */
export function usePlaceName(): (place: Place) => string {
  const { account } = useWords()
  return ({ organisation_name: organisation, organisation_unit_name: unit }) =>
    [organisation ?? account.everywhere, unit].filter(Boolean).join(' › ')
}
