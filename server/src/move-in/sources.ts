import { auth0 } from './auth0.ts'
import { keycloak } from './keycloak/keycloak.ts'
import type { MoveInSource } from './told.ts'

/** The systems whose exports can be read. */
export const sources: Readonly<Record<string, MoveInSource>> = { keycloak, auth0 }
