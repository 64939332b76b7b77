import type { z } from 'zod'
import type { Route } from './route.ts'
import { userRoutes, userSchemas } from './users.ts'

/** Every route of the administration API, with the permission that it needs. */
export const adminRoutes: readonly Route[] = [...userRoutes]

/** What the routes answer with, by the names that the interface description has for them. */
export const adminSchemas: Readonly<Record<string, z.ZodType>> = { ...userSchemas }
