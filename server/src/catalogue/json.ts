import * as z from 'zod'
import {
  claimNameProblem,
  claimPlaces,
  claimSources,
  groupsOrigins,
  mapKeyProblem,
} from '../protocol/client-claims.ts'
import { accentProblem } from '../protocol/branding.ts'
import {
  claimsProblem,
  type Federated,
  issuerAddressProblem,
  longestFederated,
} from '../protocol/federated.ts'
import { type JsonMembers, type JwkSet, jwkSetProblem } from '../protocol/jwk-set.ts'
import {
  emailChangeValues,
  policyLimits,
  secondFactorValues,
  shortestPassword,
  signInValues,
} from '../protocol/policy.ts'
import { routesProblem } from '../protocol/proxied-routes.ts'
import { redirectUriProblem } from '../protocol/redirect-uri.ts'
import { codeProblem, isUuid, textProblem, type ValueProblem } from '../protocol/values.ts'
import { anyText, checked } from './checked.ts'
import { json, noPermission } from './kinds.ts'

/** The kinds whose values have parts. */

const keys = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }).check((context) => {
  const wrong = jwkSetProblem(context.value)
  if (wrong === undefined) return
  context.issues.push({ code: 'custom', input: context.value, message: `It ${wrong}.` })
})
export const jwks = json(keys as unknown as z.ZodType<JwkSet>)

const text = (most: number) => checked(textProblem(most), most)
const noted = (wrong: string | undefined, context: z.core.ParsePayload, path: string[] = []) => {
  if (wrong !== undefined)
    context.issues.push({ code: 'custom', input: context.value, path, message: `It ${wrong}.` })
}

const address = checked((value) => redirectUriProblem(value, 'web'), 2000)
const issuer = checked((value) => redirectUriProblem(value, 'web') ?? issuerAddressProblem(value), 2000)
const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : 1
/** JSON rounds a greater number, so that others would match as well. */
const exactNumber = z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), {
  error: 'It is greater than a number that is compared exactly; write it as text if the token has text.',
})
const claimValue = z.union([text(1000), exactNumber, z.boolean()])
const federatedRule = z
  .strictObject({
    issuer: issuer.describe('One of assertion_issuers, to the last slash.'),
    subject: text(1000).optional(),
    claims: z
      .record(text(200), claimValue)
      .overwrite((all) => Object.fromEntries(Object.entries(all).toSorted(byName)))
      .optional(),
  })
  .check((context) => {
    const { subject, claims } = context.value
    if ((subject === undefined) === (claims === undefined))
      noted('has either a subject or claims', context, ['subject'])
    if (claims !== undefined) noted(claimsProblem(claims), context, ['claims'])
  })
export const federated = json(federatedRule as unknown as z.ZodType<Federated>)

/** An issuer of tokens that prove clients; `named` is what names an organisation. */
const assertionIssuer = (named: z.ZodType<string>) =>
  z
    .strictObject({
      issuer: issuer.describe('As the iss of its tokens has it, to the last slash.'),
      audience: text(2000).optional().describe('What its tokens may be for, besides this service.'),
      jwks: keys.optional().describe('Its public keys, of an issuer that nobody can ask.'),
      jwks_uri: address.optional().describe('Where they are; else its metadata says it.'),
      max_lifetime: z.int().min(1).max(longestFederated.most).optional(),
      organisations: z
        .array(named)
        .max(1000)
        .optional()
        .describe('Whose clients it may prove too. None: clients without organisation alone.'),
    })
    .check((context) => {
      if (context.value.jwks !== undefined && context.value.jwks_uri !== undefined)
        noted('is there beside jwks', context, ['jwks_uri'])
    })

export const assertionIssuers = (named: z.ZodType<string>) =>
  z
    .array(assertionIssuer(named))
    .max(100)
    .refine((all) => new Set(all.map((one) => one.issuer)).size === all.length, {
      error: 'It has an issuer twice.',
    })

const rule = z
  .strictObject({
    name: anyText(200),
    source: z.enum(claimSources).optional(),
    value: z.union([text(500), z.number(), z.boolean()]).optional(),
    in: z
      .array(z.enum(claimPlaces))
      .min(1)
      .max(claimPlaces.length)
      .default([...claimPlaces]),
  })
  .check((context) => {
    const { name, source, value } = context.value
    noted(claimNameProblem(source)(name), context, ['name'])
    if ((source === undefined) === (value === undefined))
      noted('has either a source or a value', context, ['source'])
  })

const rules = z
  .array(rule)
  .max(50)
  .refine((all) => new Set(all.map((one) => one.name)).size === all.length, {
    error: 'It has a claim twice.',
  })
export const claims = json(rules)

const names = z.array(text(100)).max(20)
const groupsRule = z
  .strictObject({
    from: z.enum(groupsOrigins),
    service: checked(codeProblem, 60).optional(),
    map: z.record(checked(mapKeyProblem), names).optional(),
  })
  .check((context) => {
    const { from, service, map } = context.value
    if ((from === 'permissions') !== (service !== undefined))
      noted('is there with permissions, and with nothing else', context, ['service'])
    if ((from === 'map') !== (map !== undefined))
      noted('is there with map, and with nothing else', context, ['map'])
    if (Object.keys(map ?? {}).length > 500) noted('has more than 500 entries', context, ['map'])
  })
export const groups = json(groupsRule)

const entered = (problem: ValueProblem, most: number) =>
  z
    .array(checked(problem, most))
    .min(1, { error: 'It is empty: nobody would get in. Leave it out, or name what lets somebody in.' })
    .max(100)
    .refine((all) => new Set(all).size === all.length, { error: 'It has an entry twice.' })
    .overwrite((all) => all.toSorted())
    .optional()

const placeProblem: ValueProblem = (value) => {
  const parts = value.split('/')
  const wrong = parts.length > 2 || parts.some((part) => codeProblem(part) !== undefined)
  return wrong ? 'is no place: an organisation such as acme, or a unit such as acme/berlin' : undefined
}

/** What lets a profile into an application: each list that is there must be met. */
const allowedRule = z
  .strictObject({
    roles: entered(codeProblem, 60),
    organisations: entered(placeProblem, 121),
    permissions: entered(noPermission, 200),
  })
  .check((context) => {
    if (Object.values(context.value).every((list) => list === undefined))
      noted('names roles, organisations or permissions', context)
  })
export const allowed = json(allowedRule)

const each = (problem: ValueProblem, most: number) =>
  z
    .array(checked(problem, most))
    .max(1000)
    .refine((all) => new Set(all).size === all.length, { error: 'It has an entry twice.' })
    .overwrite((all) => all.toSorted())

/** A wildcard is no permission, so nothing is carried that is not named. */
export const exchange = json(
  z.strictObject({ services: each(codeProblem, 60), permissions: each(noPermission, 200) }),
)

const routesRule = z.record(anyText(500), anyText(200)).check((context) => {
  const wrong = routesProblem(context.value)
  if (wrong !== undefined) noted(wrong.reason, context, wrong.key === '' ? [] : [wrong.key])
})
export const routes = json(routesRule)

const inlineDocument = z.looseObject({ client_id: z.string() })
/** A client as its document says it: see `documentSays`. */
export const clientDocument = json(inlineDocument as unknown as z.ZodType<JsonMembers>)

/** The entries of those lists that were removed since. */
const list = z.array(z.string()).optional()
export const allowedRemoved = json(z.object({ roles: list, organisations: list, permissions: list }))

const days = (most: number) => z.int().min(0).max(most).nullish()

/** A policy; null in it is as good as nothing. */
const policyBody = z.strictObject({
  second_factor: z
    .enum(secondFactorValues)
    .nullish()
    .describe('`required` needs the level 2, `passkey` needs phr; `off` hides the offer.'),
  grace_days: days(policyLimits.grace_days).describe('To set up a second factor, from the first demand on.'),
  trusted_device_days: days(policyLimits.trusted_device_days).describe(
    'For so long a device may stand in for the second factor.',
  ),
  password_length: z
    .int()
    .min(shortestPassword)
    .max(policyLimits.password_length)
    .nullish()
    .describe('The least that a new password has.'),
  sign_in: z
    .enum(signInValues)
    .nullish()
    .describe(
      '`upstream`: to act in an organisation takes a sign-in by its own upstream, once it has one that somebody has signed in through.',
    ),
})

/** A policy of the installation or of an organisation. */
const placePolicyBody = policyBody.extend({
  email_change: z
    .enum(emailChangeValues)
    .nullish()
    .describe(
      'Who changes the addresses of people: they themselves, unless the installation or an organisation of theirs says `administrator`.',
    ),
})

export const installationPolicyBody = placePolicyBody.extend({
  self_deletion: z
    .boolean()
    .nullish()
    .describe('Whether people may have their own account removed, after 14 days in which they can undo it.'),
})

const policyWords = {
  nullable: true,
  description:
    'How strongly people sign in, beside the policies of the installation and others: the strictest counts.',
} as const

/** How strongly people sign in: of a role or a client. */
export const ownPolicy = { kind: json(policyBody), ...policyWords } as const

export const organisationPolicy = { kind: json(placePolicyBody), ...policyWords } as const

const link = address.nullish()

/** How something looks; null in it is as good as nothing. */
export const brandingBody = z.strictObject({
  name: text(60).nullish().describe('Stands at the top of the pages, instead of the name of the product.'),
  logo: link.describe(
    'Stands at the top instead of the name: a PNG, JPEG or WebP of at most 64 KiB, which is fetched once and served from here.',
  ),
  logo_dark: link.describe('The same in dark mode; without it, `logo` is there too.'),
  accent_color: checked(accentProblem, 7)
    .nullish()
    .describe('`#rrggbb`, of buttons and links. It must have a contrast of 4.5:1 to the page.'),
  help_uri: link.describe('Linked at the foot of the pages, as the next two.'),
  policy_uri: link.describe('How personal data is handled.'),
  tos_uri: link.describe('The terms of use.'),
})

export const ownBranding = {
  kind: json(brandingBody),
  nullable: true,
  description: 'How the pages of a sign-in look for its people and its clients.',
} as const

/** People who get in when the installation's upstreams do not work. */
export const breakGlassBody = z.strictObject({
  people: z
    .array(checked((text) => (isUuid(text) ? undefined : 'is not a UUID'), 36))
    .max(3)
    .nullish()
    .describe(
      'At most three people with a profile without organisation, who get in with their own credential when the upstream does not work. They belong to no upstream of the installation.',
    ),
})

/** The issuers whose tokens prove clients that have no keys of their own. */
export const assertionIssuersBody = z.strictObject({
  issuers: assertionIssuers(checked((one) => (isUuid(one) ? undefined : 'is not a UUID'), 36))
    .nullish()
    .describe('Those whose tokens a client may prove itself by. No other is ever asked.'),
})
