import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { profile } from '../../catalogue/profile.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { notFound } from '../../protocol/problem.ts'
import type { Row } from '../by.ts'
import {
  createProfile,
  deleteProfile,
  listProfiles,
  readProfile,
  shownProfile,
  updateProfile,
} from './verbs.ts'
import { keyCursor, keyCursorText } from '../cursor.ts'
import { code, pageOf, paging, uuid } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

/** A profile that is given together with its user. */
export const newProfile = newBody(profile).omit({ user_uuid: true })

const shown = shownSchema(profile)

export const profileSchemas = { Profile: shown, ProfilePage: pageOf(shown) }

const oneAnswer = (row: Row<'profiles'>) => answerWith(shownProfile(row), row)
const newAnswer = (row: Row<'profiles'>) => madeAnswer(oneAnswer(row), `/profiles/${row.uuid}`)

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
    async handle({ service, by, query }) {
      const filter = {
        reach: by.authority.reach,
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
    async handle({ service, by, body, repeatable }) {
      const columns = { uuid: randomUUID(), ...newColumns(profile, body) }
      const created = await createProfile(service.store, by, columns, repeatable(newAnswer))
      return createdAnswer(created, newAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/profiles/:uuid',
    permission: 'iam.profiles.read',
    summary: 'Read a profile',
    answers: 'Profile',
    async handle({ service, by, param }) {
      const row = await readProfile(service.store, uuidOf(param('uuid'), 'profile'), by.authority.reach)
      if (row === undefined) throw notFound('profile')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/profiles/:uuid',
    permission: 'iam.profiles.update',
    summary: 'Change or disable a profile',
    description:
      'The tokens that were issued under it end at once when it is disabled or has run out. To move it to another unit needs `iam.profiles.create` too: the administrators of that unit come to reach it.',
    answers: 'Profile',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: patchBody(profile),
    async handle({ service, by, body, param, versions }) {
      const change = { uuid: uuidOf(param('uuid'), 'profile'), versions, set: changedColumns(profile, body) }
      return oneAnswer(await updateProfile(service.store, by, change))
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
    async handle({ service, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'profile')
      await deleteProfile(service.store, by, { uuid, versions })
      return { status: 204 }
    },
  }),
]
