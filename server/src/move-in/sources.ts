import { auth0 } from './auth0.ts'
import { cognito } from './cognito.ts'
import { firebase } from './firebase.ts'
import { keycloak } from './keycloak/keycloak.ts'
import { okta } from './okta.ts'
import type { MoveInSource } from './told.ts'

/** The systems whose exports can be read. */
export const sources: Readonly<Record<string, MoveInSource>> = { keycloak, auth0, firebase, cognito, okta }
