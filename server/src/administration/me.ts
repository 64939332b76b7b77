import * as z from 'zod'
import { rowOf } from '../database/rows.ts'
import { serviceOf, iamService } from '../protocol/permission.ts'
import { clientId, code, email, text, uuid } from './fields.ts'
import { route, type Route } from './route.ts'

const actor = z.union([
  z.object({
    kind: z.literal('user'),
    user_uuid: uuid,
    email,
    name: text(200),
    profile_uuid: uuid,
    role_code: code,
    role_name: text(200),
  }),
  z.object({ kind: z.literal('client'), client_id: clientId, client_name: text(200) }),
  z.object({ kind: z.string(), id: z.string() }).describe('A command on the database itself.'),
])

const me = z.object({
  actor,
  reach: z.object({
    kind: z.enum(['installation', 'organisation', 'unit']),
    organisation_uuid: uuid.nullable(),
    organisation_name: text(200).nullable(),
    organisation_unit_uuid: uuid.nullable(),
    organisation_unit_name: text(200).nullable(),
  }),
  permissions: z.array(z.string()).describe('Those of `iam` that are held now, sorted.'),
})

export const meSchemas = { Me: me }

type Asked = Parameters<Route['answer']>[0]

async function actorOf({ service: { store }, by }: Asked): Promise<z.output<typeof actor>> {
  const { kind, id = '', profileUuid = '', roleCode = '' } = by.authority.actor
  if (kind === 'user') {
    const user = await rowOf(store.db, 'users', { uuid: id })
    const role = await rowOf(store.db, 'roles', { code: roleCode })
    return {
      kind,
      user_uuid: id,
      email: user?.email ?? '',
      name: user?.name ?? '',
      profile_uuid: profileUuid,
      role_code: roleCode,
      role_name: role?.name ?? roleCode,
    }
  }
  if (kind !== 'client') return { kind, id }
  const client = await rowOf(store.db, 'clients', { client_id: id })
  return { kind, client_id: id, client_name: client?.client_name ?? id }
}

async function reachOf({ service: { store }, by }: Asked): Promise<z.output<typeof me>['reach']> {
  const { organisationUuid, unitUuid } = by.authority.reach
  const organisation =
    organisationUuid && (await rowOf(store.db, 'organisations', { uuid: organisationUuid }))
  const unit = unitUuid && (await rowOf(store.db, 'units', { uuid: unitUuid }))
  const narrowed = organisation ? 'organisation' : 'installation'
  return {
    kind: unit ? 'unit' : narrowed,
    organisation_uuid: organisationUuid ?? null,
    organisation_name: organisation ? organisation.name : null,
    organisation_unit_uuid: unitUuid ?? null,
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
      'The user with their profile, or the client; where they administer; and the permissions of `iam` that they hold now, whatever the token said when it was issued.',
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
