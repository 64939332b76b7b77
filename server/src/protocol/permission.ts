import { resources } from './things.ts'

/** A permission: `<service code>.<resource>.<action>`, compared exactly (decisions, "Words"). */
const permissionPattern = /^[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/

export function isPermission(text: string): boolean {
  return text.length <= 200 && permissionPattern.test(text)
}

/** The service of a permission: the part before the first dot. */
export function serviceOf(permission: string): string {
  return permission.slice(0, permission.indexOf('.'))
}

/** The built-in service: Tessera's own administration API. */
export const iamService = 'iam'

/** Every permission of the built-in service; the only wildcard there is. */
export const iamWildcard = 'iam.*'

const iamActions = ['read', 'create', 'update', 'delete'] as const

/** The permissions of the built-in service `iam`, each `iam.<resource>.<action>`. */
export const iamPermissions: readonly string[] = resources.flatMap((resource) =>
  iamActions.map((action) => `${iamService}.${resource}.${action}`),
)

/** The audience of the built-in service: access tokens for the administration API carry it. */
export function iamAudience(issuer: string): string {
  return `${issuer}/admin`
}

/** The permissions with the wildcard expanded, each once, sorted. */
export function expandPermissions(permissions: readonly string[]): string[] {
  const all = permissions.flatMap((one) => (one === iamWildcard ? iamPermissions : [one]))
  return [...new Set(all)].sort()
}
