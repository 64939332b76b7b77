import { useQuery } from '@tanstack/react-query'
import { answered, api } from '../api/client.ts'
import { everyPage, type PageQuery } from './every-page.ts'

const serviceOf = (permission: string): string => permission.slice(0, permission.indexOf('.'))

/** Whether a role gives something of a service. */
export const givesOf = ({ permissions }: { permissions: readonly string[] }, service: string): boolean =>
  permissions.some((one) => serviceOf(one) === service)

/** Permissions by their service, in order. */
export function byService(permissions: readonly string[]): [service: string, permissions: string[]][] {
  const groups = new Map<string, string[]>()
  for (const one of permissions) groups.set(serviceOf(one), [...(groups.get(serviceOf(one)) ?? []), one])
  return [...groups].sort(([one], [other]) => one.localeCompare(other))
}

/** All permissions of a service, with what each means. */
export function usePermissions(service: string, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['permissions', service],
    queryFn: () =>
      everyPage((page: PageQuery) => {
        const query = { service_code: service, ...page }
        return answered(api.GET('/admin/v1/permissions', { params: { query } }))
      }),
  })
}
