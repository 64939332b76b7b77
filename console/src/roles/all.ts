import { useQuery } from '@tanstack/react-query'
import { answered, api, type Permission } from '../api/client.ts'

/** Every permission that there is, of those that one may see. */
export const useAllPermissions = () =>
  useQuery({
    queryKey: ['permissions', 'all'],
    queryFn: async () => {
      const items: Permission[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Awaited<ReturnType<typeof ask>> = await ask({ limit: '200', ...(cursor && { cursor }) })
        items.push(...page.items)
        cursor = page.next_cursor
      }
      return items
    },
  })

const ask = (query: { limit: string; cursor?: string }) =>
  answered(api.GET('/admin/v1/permissions', { params: { query } }))
