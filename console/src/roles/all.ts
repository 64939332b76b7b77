import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { everyPage, type PageQuery } from '../shared/every-page.ts'

/** Every permission that there is, of those that one may see. */
export const useAllPermissions = () =>
  useQuery({
    queryKey: ['permissions', 'all'],
    queryFn: () =>
      everyPage((query: PageQuery) => answered(api.GET('/admin/v1/permissions', { params: { query } }))),
  })
