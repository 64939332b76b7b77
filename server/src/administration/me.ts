import * as z from 'zod'
import { rowOf } from '../database/rows.ts'
import { profilesThrough } from '../identity/access.ts'
import { serviceOf, iamService } from '../protocol/permission.ts'
import { findClient } from '../store/clients.ts'
import { findPerson } from '../store/person.ts'
import type { Profile } from '../store/users.ts'
import { clientId, code, email, text, uuid } from './fields.ts'
import { route, type Route } from './route.ts'

const role = { profile_uuid: uuid, role_code: code, role_name: text(200) }
const place = {
  organisation_uuid: uuid.nullable(),
  organisation_name: text(200).nullable(),
  organisation_unit_uuid: uuid.nullable(),
  organisation_unit_name: text(200).nullable(),
}

const actor = z.union([
  z.object({
    kind: z.literal('user'),
    user_uuid: uuid,
    email,
    name: text(200),
    ...role,
    profiles: z
      .array(z.object({ ...role, ...place }))
      .describe('All that they may act under now through this client, to sign in with another.'),
  }),
  z.object({ kind: z.literal('client'), client_id: clientId, client_name: text(200) }),
  z.object({ kind: z.string(), id: z.string() }).describe('A command on the database itself.'),
])

const me = z.object({
  actor,
  reach: z.object({ kind: z.enum(['installation', 'organisation', 'unit']), ...place }),
  permissions: z.array(z.string()).describe('Those of `iam` that are held now, sorted.'),
})

export const meSchemas = { Me: me }

type MeRequest = Parameters<Route['answer']>[0]

async function actorOf({ service: { store }, by }: MeRequest): Promise<z.output<typeof actor>> {
  const { actor, claims } = by.authority
  const { kind, id = '', profile_uuid = '', role_code = '' } = actor
  if (kind !== 'user' && kind !== 'client') return { kind, id }
  const client = await findClient(store, claims?.client_id ?? id)
  if (kind === 'client') return { kind, client_id: id, client_name: client?.client_name ?? id }
  const { user, profiles = [] } = (await findPerson(store, id, by.now)) ?? {}
  const shown = (client === undefined ? [] : profilesThrough(client, profiles)).map(shownProfile)
  return {
    kind,
    user_uuid: id,
    email: user?.email ?? '',
    name: user?.name ?? '',
    profile_uuid,
    role_code,
    role_name: shown.find((one) => one.profile_uuid === profile_uuid)?.role_name ?? role_code,
    profiles: shown,
  }
}

const shownProfile = (profile: Profile) => ({
  profile_uuid: profile.held_uuid,
  role_code: profile.role_code,
  role_name: profile.role_name,
  organisation_uuid: profile.organisation_uuid,
  organisation_name: profile.organisation_name,
  organisation_unit_uuid: profile.unit_uuid,
  organisation_unit_name: profile.unit_name,
})

async function reachOf({ service: { store }, by }: MeRequest): Promise<z.output<typeof me>['reach']> {
  const { organisation_uuid, unit_uuid } = by.authority.reach
  const organisation =
    organisation_uuid && (await rowOf(store.db, 'organisations', { uuid: organisation_uuid }))
  const unit = unit_uuid && (await rowOf(store.db, 'units', { uuid: unit_uuid }))
  const narrowed = organisation ? 'organisation' : 'installation'
  return {
    kind: unit ? 'unit' : narrowed,
    organisation_uuid: organisation_uuid ?? null,
    organisation_name: organisation ? organisation.name : null,
    organisation_unit_uuid: unit_uuid ?? null,
    organisation_unit_name: unit ? unit.name : null,
  }
}

export const meRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/me',
    permission: undefined,
    summary: 'Read who asks, and what they may do',
    description:
      'The user with their profile and the others that they have, or the client; where they administer; and the permissions of `iam` that they hold now, whatever the token said when it was issued.',
    answers: 'Me',
    async handle(asked) {
      const permissions = [...asked.by.authority.permissions].filter((one) => serviceOf(one) === iamService)
      const body = {
        actor: await actorOf(asked),
        reach: await reachOf(asked),
        permissions: permissions.sort(),
      }
      return { status: 200, body }
    },
  }),
]
