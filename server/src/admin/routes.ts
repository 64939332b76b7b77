import type * as z from 'zod'
import { accessRoutes, accessSchemas } from './access.ts'
import { auditRoutes, auditSchemas } from './audit.ts'
import { clientRoutes, clientSchemas } from './clients.ts'
import { keyRoutes, keySchemas } from './keys.ts'
import { organisationRoutes, organisationSchemas } from './organisations.ts'
import { permissionRoutes, permissionSchemas } from './permissions.ts'
import { profileRoutes, profileSchemas } from './profiles.ts'
import { roleRoutes, roleSchemas } from './roles.ts'
import type { Route } from './route.ts'
import { serviceRoutes, serviceSchemas } from './services.ts'
import { sessionRoutes, sessionSchemas } from './sessions.ts'
import { unitRoutes, unitSchemas } from './units.ts'
import { userRoutes, userSchemas } from './users.ts'
import { webhookDeliveryRoutes, webhookDeliverySchemas } from './webhook-deliveries.ts'
import { webhookRoutes, webhookSchemas } from './webhooks.ts'

/** Every route of the administration API, with the permission that it needs. */
export const adminRoutes: readonly Route[] = [
  ...userRoutes,
  ...profileRoutes,
  ...organisationRoutes,
  ...unitRoutes,
  ...roleRoutes,
  ...permissionRoutes,
  ...serviceRoutes,
  ...clientRoutes,
  ...sessionRoutes,
  ...keyRoutes,
  ...accessRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
]

/** What the routes answer with, by the names that the interface description has for them. */
export const adminSchemas: Readonly<Record<string, z.ZodType>> = {
  ...userSchemas,
  ...profileSchemas,
  ...organisationSchemas,
  ...unitSchemas,
  ...roleSchemas,
  ...permissionSchemas,
  ...serviceSchemas,
  ...clientSchemas,
  ...sessionSchemas,
  ...keySchemas,
  ...accessSchemas,
  ...auditSchemas,
  ...webhookSchemas,
  ...webhookDeliverySchemas,
}

const endless = adminRoutes.filter((route) => route.endless).map((route) => route.path)

/** Whether an address answers with what goes on, so that nobody waits for its end. */
export const isEndless = (url: string): boolean =>
  endless.some((path) => url.split('?')[0]?.endsWith(`/admin/v1${path}`))
