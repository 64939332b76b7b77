/**
 * @tessera/guard decides by permission over the requests of a protected service. This is the core, which runs
 * wherever there are `fetch` and WebCrypto; `./node`, `./fastify` and `./web` fit it to frameworks, `./testing`
 * mints tokens for a service's own tests.
 */
export { type AccessTokenClaims, type ActingParty, isMachine } from './claims.ts'
export type { CredentialSource, NodeHeadersLike, WebHeadersLike } from './credential.ts'
export type { Allowed, Decision, RefusalBody, RefusalReason, Refused } from './decision.ts'
export { createGuard, type Guard } from './guard.ts'
export type { DpopOptions, FetchLike, GuardOptions } from './options.ts'
export { isPermission } from './permission.ts'
export type { MetadataAnswer, ResourceMetadata } from './resource-metadata.ts'
export type { StepUp } from './requirement.ts'
export { PUBLIC, type PublicRoute, type RouteTable } from './route-table.ts'
export type { AllowedPublic, RoutableRequest, RouteDecision, RouteGuard } from './routes.ts'
export type { Algorithm } from './verification-key.ts'
