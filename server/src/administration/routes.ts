import type * as z from 'zod'
import { accessRoutes, accessSchemas } from './access.ts'
import { auditRoutes, auditSchemas } from './audit.ts'
import { auditVerificationRoutes, auditVerificationSchemas } from './audit-verification.ts'
import { attentionRoutes, attentionSchemas } from './attention/routes.ts'
import { clientRoutes, clientSchemas } from './clients/routes.ts'
import { declaredRoutes, declaredSchemas } from './declared.ts'
import { dryRunSchemas } from './dry-run.ts'
import { recoveryRoutes, recoverySchemas } from './factors/recovery.ts'
import { factorRoutes, factorSchemas } from './factors/routes.ts'
import { importRoutes, importSchemas } from './imports/routes.ts'
import { invitingManyRoutes, invitingManySchemas } from './invitations/many.ts'
import { invitationRoutes, invitationSchemas } from './invitations/routes.ts'
import { keyRoutes, keySchemas } from './keys.ts'
import { mailServerRoutes, mailServerSchemas } from './mail-server.ts'
import { mailRoutes, mailSchemas } from './mails.ts'
import { meRoutes, meSchemas } from './me.ts'
import { moveInRoutes, moveInSchemas } from './move-in.ts'
import { organisationRoutes, organisationSchemas } from './organisations/routes.ts'
import { permissionRoutes, permissionSchemas } from './permissions/routes.ts'
import { profileRoutes, profileSchemas } from './profiles/routes.ts'
import { recipeRoutes, recipeSchemas } from './recipes.ts'
import { roleRoutes, roleSchemas } from './roles/routes.ts'
import { directoryRoutes, directorySchemas } from './directories/routes.ts'
import { domainRoutes, domainSchemas } from './domains/routes.ts'
import { linkRoutes, linkSchemas } from './links/routes.ts'
import { upstreamRoutes, upstreamSchemas } from './upstreams/routes.ts'
import { upstreamInvitationRoutes, upstreamInvitationSchemas } from './upstream-invitations/routes.ts'
import type { Route } from './route.ts'
import { settingRoutes, settingSchemas } from './settings.ts'
import { settledRoutes, settledSchemas } from './settled.ts'
import { serviceRoutes, serviceSchemas } from './services/routes.ts'
import { sessionRoutes, sessionSchemas } from './sessions/routes.ts'
import { statisticsRoutes, statisticsSchemas } from './statistics.ts'
import { unitRoutes, unitSchemas } from './units/routes.ts'
import { bulkRoutes } from './users/bulk.ts'
import { bulkSchemas } from './users/bulk-body.ts'
import { userRoutes, userSchemas } from './users/routes.ts'
import { checkRoutes, checkSchemas } from './upstreams/check-routes.ts'
import { upstreamStateRoutes, upstreamStateSchemas } from './upstreams/state-routes.ts'
import { trialSchemas, upstreamTrialRoutes } from './upstreams/trial-routes.ts'
import { webhookDeliveryRoutes, webhookDeliverySchemas } from './webhooks/delivery-routes.ts'
import { webhookRoutes, webhookSchemas } from './webhooks/routes.ts'
import { whatIfRoutes, whatIfSchemas } from './what-if.ts'

/** Every route of the administration API, with the permission that it needs. */
export const adminRoutes: readonly Route[] = [
  ...meRoutes,
  ...userRoutes,
  ...bulkRoutes,
  ...profileRoutes,
  ...organisationRoutes,
  ...unitRoutes,
  ...roleRoutes,
  ...permissionRoutes,
  ...serviceRoutes,
  ...clientRoutes,
  ...recipeRoutes,
  ...sessionRoutes,
  ...factorRoutes,
  ...invitingManyRoutes,
  ...invitationRoutes,
  ...importRoutes,
  ...recoveryRoutes,
  ...keyRoutes,
  ...settingRoutes,
  ...settledRoutes,
  ...accessRoutes,
  ...whatIfRoutes,
  ...auditVerificationRoutes,
  ...auditRoutes,
  ...statisticsRoutes,
  ...attentionRoutes,
  ...mailRoutes,
  ...mailServerRoutes,
  ...webhookRoutes,
  ...checkRoutes,
  ...upstreamTrialRoutes,
  ...webhookDeliveryRoutes,
  ...upstreamRoutes,
  ...upstreamStateRoutes,
  ...domainRoutes,
  ...directoryRoutes,
  ...linkRoutes,
  ...upstreamInvitationRoutes,
  ...declaredRoutes,
  ...moveInRoutes,
]

/** What the routes answer with, by the names that the interface description has for them. */
export const adminSchemas: Readonly<Record<string, z.ZodType>> = {
  ...meSchemas,
  ...dryRunSchemas,
  ...userSchemas,
  ...bulkSchemas,
  ...profileSchemas,
  ...organisationSchemas,
  ...unitSchemas,
  ...roleSchemas,
  ...permissionSchemas,
  ...serviceSchemas,
  ...clientSchemas,
  ...recipeSchemas,
  ...sessionSchemas,
  ...factorSchemas,
  ...invitationSchemas,
  ...invitingManySchemas,
  ...importSchemas,
  ...recoverySchemas,
  ...keySchemas,
  ...settingSchemas,
  ...settledSchemas,
  ...accessSchemas,
  ...whatIfSchemas,
  ...auditVerificationSchemas,
  ...auditSchemas,
  ...statisticsSchemas,
  ...attentionSchemas,
  ...mailSchemas,
  ...mailServerSchemas,
  ...webhookSchemas,
  ...checkSchemas,
  ...trialSchemas,
  ...webhookDeliverySchemas,
  ...upstreamSchemas,
  ...upstreamStateSchemas,
  ...domainSchemas,
  ...directorySchemas,
  ...linkSchemas,
  ...upstreamInvitationSchemas,
  ...declaredSchemas,
  ...moveInSchemas,
}

const endless = adminRoutes.filter((route) => route.endless).map((route) => route.path)

/** Whether an address answers with what goes on, so that nobody waits for its end. */
export const isEndless = (url: string): boolean =>
  endless.some((path) => url.split('?')[0]?.endsWith(`/admin/v1${path}`))
