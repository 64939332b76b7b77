import type { z } from 'zod'
import { accessRoutes, accessSchemas } from './access.ts'
import { clientRoutes, clientSchemas } from './clients.ts'
import { organisationRoutes, organisationSchemas } from './organisations.ts'
import { permissionRoutes, permissionSchemas } from './permissions.ts'
import { profileRoutes, profileSchemas } from './profiles.ts'
import { roleRoutes, roleSchemas } from './roles.ts'
import type { Route } from './route.ts'
import { serviceRoutes, serviceSchemas } from './services.ts'
import { unitRoutes, unitSchemas } from './units.ts'
import { userRoutes, userSchemas } from './users.ts'

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
  ...accessRoutes,
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
  ...accessSchemas,
}
