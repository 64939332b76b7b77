import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { usePlaces } from './place.ts'

/** What somebody may do, by profile, and the name of where each holds. */
export function useAccess(uuid: string) {
  const asked = useQuery({
    queryKey: ['person', uuid, 'access'],
    queryFn: () => answered(api.GET('/admin/v1/users/{uuid}/access', { params: { path: { uuid } } })),
  })
  return { asked, place: usePlaces(asked.data?.profiles ?? []) }
}

export type Profile = NonNullable<ReturnType<typeof useAccess>['asked']['data']>['profiles'][number]
