import type { MovedSystem } from '../protocol/move-in.ts'
import { aspnetIdentity } from './aspnet-identity.ts'
import { auth0 } from './auth0.ts'
import { cognito } from './cognito.ts'
import { django } from './django.ts'
import { firebase } from './firebase.ts'
import { keycloak } from './keycloak/keycloak.ts'
import { ldif } from './ldif.ts'
import { logto } from './logto.ts'
import { okta } from './okta.ts'
import { ory } from './ory.ts'
import type { MoveInSource } from './told.ts'
import { zitadel } from './zitadel.ts'

/** What reads the exports of each system. */
export const sources: Readonly<Record<MovedSystem, MoveInSource>> = {
  keycloak,
  auth0,
  zitadel,
  logto,
  ory,
  firebase,
  cognito,
  okta,
  django,
  'aspnet-identity': aspnetIdentity,
  ldif,
}
