import * as z from 'zod'
import { someText, someTexts, yesOrNo } from './record-source.ts'

/** What ZITADEL exports, and what its searches answer, as far as something here comes of it. */

const lists = <Value extends z.ZodType>(value: Value) => z.array(value).nullish().catch(undefined)
export const grant = z.object({ userId: z.string(), projectId: z.string(), roleKeys: someTexts })
export const exportedPerson = z.object({
  userId: z.string(),
  user: z.object({
    userName: someText,
    profile: z
      .object({ firstName: someText, lastName: someText, displayName: someText, preferredLanguage: someText })
      .optional(),
    email: z.object({ email: someText, isEmailVerified: yesOrNo }).optional(),
    hashedPassword: z.object({ value: someText }).nullish(),
    passwordChangeRequired: yesOrNo,
    otpCode: someText,
    idps: lists(z.object({ configId: z.string() })),
  }),
})
export const organisation = z.object({
  orgId: z.string(),
  org: z.object({ name: z.string() }),
  projects: lists(z.object({ projectId: z.string(), project: z.object({ name: z.string() }) })),
  projectRoles: lists(z.object({ projectId: z.string(), roleKey: z.string(), displayName: someText })),
  humanUsers: lists(z.unknown()),
  machineUsers: lists(z.object({ userId: z.string(), user: z.object({ userName: someText }) })),
  userGrants: lists(grant),
  userLinks: lists(z.object({ userId: z.string(), idpName: someText, idpId: someText })),
  oidcApps: lists(z.object({ appId: z.string(), app: z.object({ name: someText }) })),
  apiApps: lists(z.object({ appId: z.string(), app: z.object({ name: someText }) })),
})
export const searchedOrganisation = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string().startsWith('ORG'),
})
export const searchedProject = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string().startsWith('PROJECT_STATE'),
})
export const searchedApp = z.object({
  name: someText,
  state: someText,
  oidcConfig: z.object({
    clientId: z.string(),
    redirectUris: someTexts,
    postLogoutRedirectUris: someTexts,
    grantTypes: someTexts,
    appType: someText,
    authMethodType: someText,
    additionalOrigins: someTexts,
    backChannelLogoutUri: someText,
  }),
})
export type SearchedApp = z.output<typeof searchedApp>
export const searchedPerson = z.object({
  userId: z.string(),
  state: z.string(),
  username: someText,
  details: z.object({ resourceOwner: someText }).optional().catch(undefined),
  human: z.object({
    profile: z
      .object({
        givenName: someText,
        familyName: someText,
        displayName: someText,
        preferredLanguage: someText,
        avatarUrl: someText,
      })
      .optional(),
    email: z.object({ email: someText, isVerified: yesOrNo }).optional(),
    passwordChangeRequired: yesOrNo,
  }),
})

export const searchedState = z.object({ userId: z.string(), state: z.string() })
