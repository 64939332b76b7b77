import * as z from 'zod'
import { shownOf } from '../catalogue/columns.ts'
import { client as catalogued } from '../catalogue/client.ts'
import { iamPermissions } from '../protocol/permission.ts'
import { weakeningsOf } from '../protocol/weakenings.ts'
import { notFound, wrongField } from '../protocol/problem.ts'
import { type Scope, scopesOf, supportedScopes } from '../protocol/scope.ts'
import { accessOf, clientWithin, listHolders } from '../access/holders.ts'
import type { Authority } from './authority.ts'
import { holds, permissionLink, personLinks, profileLinks, userLink } from '../access/explain.ts'
import { clientLinks, clientEntryLink, clientPlaceLink, clientProofLink } from '../access/explain-client.ts'
import { assertionIssuers } from '../store/federated-subjects.ts'
import { actsFor, exchangeLinks } from '../access/explain-exchange.ts'
import { refuseUnit } from './audit.ts'
import type { By } from './by.ts'
import { clientId, including, instant, millisecondsOf, pageOf, permission, text, uuid } from './fields.ts'
import {
  chainLink,
  heldProfile,
  holder,
  holdersFile,
  shownHolder,
  shownLink,
  shownProfile,
  withChains,
} from './holders.ts'
import { weakening } from './clients/fields.ts'
import { refusedAddressArray, refusedOf } from './clients/refused-addresses.ts'
import { accessAt } from './moment.ts'
import { uuidOf } from './path.ts'
import { type Case, remediesOf, remedy } from './remedies.ts'
import { listRoute } from './resource-routes.ts'
import { isThere } from '../database/rows.ts'
import { type AdministrationService, route, type Route } from './route.ts'

const userAccess = z.object({
  user_uuid: uuid,
  active: z.boolean(),
  profiles: z.array(
    z.object({
      ...heldProfile,
      role_name: text(200),
      usable: z.boolean().describe('Whether they can act under it now.'),
      chain: z.array(chainLink).describe('Why, or why not.'),
      permissions: z.array(z.string()).describe('What its role gives; while it is not usable, to nobody.'),
      complete: z.boolean().describe('false: the role gives more, which you do not hold.'),
    }),
  ),
})

const explanation = z.object({
  permission: z.string(),
  allowed: z.boolean().describe('Whether a token that is issued now carries the permission.'),
  chain: z.array(chainLink).describe('Everything that has to hold, in the order in which it is asked.'),
  would_grant: z
    .array(z.string())
    .describe('What to do so that it is allowed: all of these. Empty when it is.'),
  weakenings: z
    .array(weakening)
    .describe('By what a sign-in through the client is weaker than by default, and what is lost.'),
  refused_addresses: refusedAddressArray.describe(
    'Where the client wanted to return within a week, and has not registered.',
  ),
  remedies: z
    .array(remedy)
    .optional()
    .describe(
      'With `include=remedies`: up to three changes that mend a link, those first that give the least; each link has one before any has two.',
    ),
})

export const accessSchemas = {
  Holder: holder,
  HolderPage: pageOf(holder),
  UserAccess: userAccess,
  Explanation: explanation,
}

/** Whether there is such a permission. Throws when there is none that the administrator sees. */
async function existence(
  service: AdministrationService,
  { sees }: Authority,
  permission: string,
): Promise<boolean> {
  const exists =
    iamPermissions.includes(permission) ||
    (await isThere(service.store.db, 'permissions', { code: permission }))
  if (sees !== undefined && !(exists && sees.includes(permission))) throw unknownPermission()
  return exists
}

const unknownPermission = () => wrongField('permission', 'There is no such permission.')

/** The scopes that are asked for; undefined: all that the client may. */
function requestedScopes(text: string | undefined): Scope[] | undefined {
  if (text === undefined) return undefined
  const unknown = text.split(' ').find((one) => !supportedScopes.some((scope) => scope === one))
  if (unknown === undefined) return scopesOf(text)
  throw wrongField('scope', `It is a list of ${supportedScopes.join(', ')} with spaces between.`)
}

export const accessRoutes: Route[] = [
  listRoute({
    path: '/access',
    permission: 'iam.access.read',
    summary: 'List who holds a permission',
    description:
      'Now, and through which profile and role: people by role, then machines by client_id, then clients that may by exchange for whoever calls the service that they are. With an organisation or a unit, those who can do it there: by a profile in it or over it, which is one without an organisation as well, and machines that reach it. An administrator of an organisation or a unit sees those of it alone, and not who holds it over more. What a person may do with a token is narrowed by the client that they sign in with, which an explanation shows.',
    answers: 'HolderPage',
    query: {
      permission,
      organisation: text(60).optional().describe('The uuid or the code of an organisation.'),
      organisation_unit_uuid: uuid.optional().describe('A unit; by a profile below it counts too.'),
      include: including('names', 'chain'),
    },
    shown: shownHolder,
    file: holdersFile,
    async rows({ service, by, query, after, limit, include }) {
      if (!(await existence(service, by.authority, query.permission))) throw unknownPermission()
      const { organisation, organisation_unit_uuid: unit_uuid } = query
      const place = { reach: by.authority.reach, organisation, unit_uuid }
      const question = { ...place, permission: query.permission, now: by.now }
      const page = await listHolders(service.store, question, after(4), limit)
      if (!include.includes('chain')) return page
      return { ...page, rows: await withChains(service.store, page.rows, question) }
    },
  }),
  route({
    method: 'GET',
    path: '/users/:uuid/access',
    permission: 'iam.access.read',
    summary: 'Read what somebody may do, and why',
    description:
      'By profile and role. Profiles that can not be used now are there too, with the reason. With `at` it is what they could do then, as the audit tells it, to whoever may read that: of somebody who is gone too, and within an organisation where they had a profile there then. Where the audit does not tell it, `conflict` names the earliest moment that can be told.',
    answers: 'UserAccess',
    refusals: ['conflict', 'forbidden'],
    query: z.strictObject({
      at: instant.optional().describe('A moment of the past. Needs `iam.audit.read` too.'),
    }),
    async handle({ service, by, param, query }) {
      const uuid = uuidOf(param('uuid'), 'user')
      const { sees, reach } = by.authority
      const at = query.at === undefined ? by.now : pastMoment(by, query.at)
      const found =
        query.at === undefined
          ? await accessOf(service.store, uuid, reach)
          : await accessAt(service.store, uuid, { at, reach, now: by.now })
      if (found === undefined) throw notFound('user')
      const { user, profiles } = found
      const shown = profiles.map((row) => {
        const chain = [userLink(user), ...profileLinks(row, at)]
        const permissions = row.permissions.filter((one) => sees?.includes(one) ?? true)
        const complete = permissions.length === row.permissions.length
        const { role_name } = row
        const reason = { usable: holds(chain), chain: chain.map(shownLink) }
        return { ...shownProfile(row), role_name, ...reason, permissions, complete }
      })
      return { status: 200, body: { user_uuid: user.uuid, active: user.active === 1, profiles: shown } }
    },
  }),
  route({
    method: 'GET',
    path: '/access/explain',
    permission: 'iam.access.read',
    summary: 'Explain why somebody may do something, or may not',
    description:
      'About a person: the user and one of their profiles, and with a client whether a token carries the permission that they get through this client, asking for a scope; of a client that acts for people, whether it gets that for this one by exchange. About a machine: its client alone. Without a scope, everything is asked for that the client may have.',
    answers: 'Explanation',
    refusals: ['not_found'],
    query: z.strictObject({
      permission,
      user_uuid: uuid.optional(),
      profile_uuid: uuid.optional().describe('The context: a profile of the user.'),
      client_id: clientId.optional(),
      scope: text(200).optional().describe('As it is sent to `/oauth2/authorize` or `/oauth2/token`.'),
      include: including('remedies'),
    }),
    async handle(asked) {
      const { service, by, query } = asked
      const { store } = service
      const requested = requestedScopes(query.scope)
      const exists = await existence(service, by.authority, query.permission)
      const chain = [permissionLink(query.permission, exists)]
      const { permission, user_uuid, client_id: id } = query
      if (user_uuid === undefined && id === undefined)
        throw wrongField('user_uuid', 'Name a user or a client.')
      const client = id === undefined ? undefined : await clientWithin(store, id, by.authority.reach)
      let about: Case = { permission, client, requested }
      if (user_uuid !== undefined) {
        const { user, profile } = await personAsked(service, by.authority, { ...query, user_uuid })
        about = { ...about, user, profile }
        const has = profile.permissions.includes(permission)
        chain.push(...personLinks(user, profile, { permission, has, now: by.now }))
        if (client !== undefined)
          chain.push(...clientPlaceLink(client, profile), ...clientEntryLink(client, profile))
      }
      if (id !== undefined) {
        if (client === undefined) throw notFound('client')
        const acts = user_uuid === undefined ? 'machine' : 'person'
        const isActing = acts === 'person' && actsFor(client, permission)
        chain.push(
          ...(isActing
            ? exchangeLinks(client, permission)
            : clientLinks(client, { permission, requested, acts })),
        )
        chain.push(...clientProofLink(client, (await assertionIssuers(store)).values()))
      }
      const cures = chain.filter((link) => !link.holds).map((link) => link.cure)
      const answer = { permission: query.permission, allowed: holds(chain) }
      const weakenings = client === undefined ? [] : weakeningsOf(shownOf(catalogued, client))
      const refused_addresses = client === undefined ? [] : await refusedOf(service, client, by.now)
      const why = { weakenings, refused_addresses }
      const body = { ...answer, chain: chain.map(shownLink), would_grant: cures, ...why }
      if (query.include === undefined) return { status: 200, body }
      return { status: 200, body: { ...body, remedies: await remediesOf(asked, about, chain) } }
    },
  }),
]

/** A moment that whoever asks may ask about. */
function pastMoment({ authority, now }: By, text: string): number {
  authority.requires('iam.audit.read')
  refuseUnit(authority)
  const at = millisecondsOf(text)
  if (at > now) throw wrongField('at', 'It is still to come.')
  return at
}

async function personAsked(
  service: AdministrationService,
  authority: Authority,
  asked: { user_uuid: string; profile_uuid?: string | undefined },
) {
  if (asked.profile_uuid === undefined) {
    throw wrongField('profile_uuid', 'It is needed: what somebody may do is what a profile gives.')
  }
  const found = await accessOf(service.store, asked.user_uuid, authority.reach)
  if (found === undefined) throw notFound('user')
  const profile = found.profiles.find((one) => one.uuid === asked.profile_uuid)
  if (profile === undefined) throw notFound('profile')
  return { user: found.user, profile }
}
