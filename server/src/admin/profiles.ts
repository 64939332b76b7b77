import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { notFound } from '../protocol/problem.ts'
import type { Row } from '../store/admin/change.ts'
import {
  createProfile,
  deleteProfile,
  listProfiles,
  type ProfileChange,
  readProfile,
  updateProfile,
} from '../store/admin/profiles.ts'
import type { ProfileRow } from '../store/schema.ts'
import { keyCursor, keyCursorText } from './cursor.ts'
import { code, columnFlag, instant, isoTime, millisecondsOf, pageOf, paging, uuid } from './fields.ts'
import { uuidOf } from './path.ts'
import { type Answer, createdAnswer, route, type Route } from './route.ts'

/** A profile as the API shows it: names as the claims have them. */
export const profile = z.object({
  uuid,
  user_uuid: uuid,
  role_code: code,
  organisation_uuid: uuid.nullable().describe('null: it holds over the whole installation.'),
  organisation_unit_uuid: uuid.nullable(),
  active: z.boolean(),
  expires_at: z.iso.datetime().nullable(),
})

/** A profile that is given together with its user. */
export const newProfile = z.strictObject({
  role_code: code,
  organisation_uuid: uuid.nullable().optional(),
  organisation_unit_uuid: uuid.nullable().optional(),
  active: z.boolean().optional(),
  expires_at: instant.nullable().optional().describe('It counts until then.'),
})

export function shownProfile(row: Row<'profiles'>): z.output<typeof profile> {
  return {
    uuid: row.uuid,
    user_uuid: row.user_uuid,
    role_code: row.role_code,
    organisation_uuid: row.organisation_uuid,
    organisation_unit_uuid: row.unit_uuid,
    active: row.active === 1,
    expires_at: row.expires_at === null ? null : isoTime(row.expires_at),
  }
}

export function profileColumns(body: z.output<typeof newProfile>): Omit<ProfileRow, 'uuid' | 'user_uuid'> {
  return {
    role_code: body.role_code,
    organisation_uuid: body.organisation_uuid ?? null,
    unit_uuid: body.organisation_unit_uuid ?? null,
    active: columnFlag(body.active ?? true),
    expires_at: typeof body.expires_at === 'string' ? millisecondsOf(body.expires_at) : null,
  }
}

const profilePatch = z.strictObject({
  role_code: code.optional(),
  organisation_unit_uuid: uuid.nullable().optional(),
  active: z.boolean().optional(),
  expires_at: instant.nullable().optional(),
})

export const profileSchemas = { Profile: profile, ProfilePage: pageOf(profile) }

const answerWith = (row: Row<'profiles'>): Answer => ({
  status: 200,
  body: shownProfile(row),
  version: row.version,
})

const madeAnswer = (row: Row<'profiles'>): Answer => ({
  ...answerWith(row),
  status: 201,
  location: `/profiles/${row.uuid}`,
})

function changeOf(body: z.output<typeof profilePatch>): ProfileChange {
  const { role_code: roleCode, organisation_unit_uuid: unitUuid, active, expires_at: expires } = body
  const set: ProfileChange = {}
  if (roleCode !== undefined) set.role_code = roleCode
  if (unitUuid !== undefined) set.unit_uuid = unitUuid
  if (active !== undefined) set.active = columnFlag(active)
  if (expires !== undefined) set.expires_at = expires === null ? null : millisecondsOf(expires)
  return set
}

export const profileRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/profiles',
    permission: 'iam.profiles.read',
    summary: 'List profiles',
    answers: 'ProfilePage',
    query: z.strictObject({
      user_uuid: uuid.optional(),
      role_code: code.optional(),
      organisation_uuid: uuid.optional(),
      organisation_unit_uuid: uuid.optional().describe('At this very unit.'),
      ...paging,
    }),
    async handle({ service, actor, query }) {
      const filter = {
        reach: actor.reach,
        userUuid: query.user_uuid,
        roleCode: query.role_code,
        organisationUuid: query.organisation_uuid,
        unitUuid: query.organisation_unit_uuid,
      }
      const { rows, next } = await listProfiles(service.store, filter, keyCursor(query.cursor), query.limit)
      return { status: 200, body: { items: rows.map(shownProfile), next_cursor: keyCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/profiles',
    permission: 'iam.profiles.create',
    summary: 'Give somebody a profile',
    description: 'Nobody gives a role with a permission that they do not hold themselves.',
    answers: 'Profile',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: newProfile.extend({ user_uuid: uuid }),
    async handle({ service, actor, by, body, repeatable }) {
      const columns = { uuid: randomUUID(), user_uuid: body.user_uuid, ...profileColumns(body) }
      const options = { show: shownProfile, repeatable: repeatable(madeAnswer) }
      return createdAnswer(await createProfile(service.store, by, actor, columns, options), madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/profiles/:uuid',
    permission: 'iam.profiles.read',
    summary: 'Read a profile',
    answers: 'Profile',
    async handle({ service, actor, param }) {
      const row = await readProfile(service.store, uuidOf(param('uuid'), 'profile'), actor.reach)
      if (row === undefined) throw notFound('profile')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/profiles/:uuid',
    permission: 'iam.profiles.update',
    summary: 'Change or disable a profile',
    description: 'The tokens that were issued under it end at once when it is disabled or has run out.',
    answers: 'Profile',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: profilePatch,
    async handle({ service, actor, by, body, param, versions }) {
      const change = { uuid: uuidOf(param('uuid'), 'profile'), versions, set: changeOf(body) }
      return answerWith(await updateProfile(service.store, by, actor, change, shownProfile))
    },
  }),
  route({
    method: 'DELETE',
    path: '/profiles/:uuid',
    permission: 'iam.profiles.delete',
    summary: 'Take a profile away',
    description: 'The tokens that were issued under it end at once.',
    answers: undefined,
    refusals: ['forbidden', 'last_administrator', 'managed_by_file'],
    async handle({ service, actor, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'profile')
      await deleteProfile(service.store, by, actor, { uuid, versions }, shownProfile)
      return { status: 204 }
    },
  }),
]
