import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { profile } from '../../catalogue/profile.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { user } from '../../catalogue/user.ts'
import { passwordProblem } from '../../identity/password-rules.ts'
import { passwordLength } from '../../protocol/password-text.ts'
import { notFound } from '../../protocol/problem.ts'
import type { Row } from '../by.ts'
import { createUser, deleteUser, type MadeUser, shownUser, updateUser } from './changes.ts'
import { listUsers, readUser } from './verbs.ts'
import { searchCursor, searchCursorText } from '../cursor.ts'
import { flag, pageOf, paging, text, uuid, uuids } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { newProfile } from '../profiles/routes.ts'
import { shownProfile } from '../profiles/verbs.ts'
import { type Administered, answerWith, createdAnswer, madeAnswer, route, type Route } from '../route.ts'

export const password = z
  .string()
  .superRefine((value, context) => {
    const problem = passwordProblem(value)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ minLength: passwordLength.least, maxLength: passwordLength.most })
  .describe(
    `${passwordLength.least} to ${passwordLength.most} characters, in any script, and none of the most common passwords. Changing it ends all sessions and tokens of the user.`,
  )

/** Nobody holds the same role twice at one place. */
const placeOf = ({ role_code, ...at }: z.output<typeof newProfile>): string =>
  `${role_code} ${at.organisation_uuid ?? ''} ${at.organisation_unit_uuid ?? ''}`

const newUser = newBody(user).extend({
  password: password.nullable().optional(),
  profiles: z
    .array(newProfile)
    .max(50)
    .refine((list) => new Set(list.map(placeOf)).size === list.length, { error: 'Two of them are the same.' })
    .default([])
    .describe('What they may do, and where. An administrator of an organisation gives at least one in it.'),
})

const userPatch = patchBody(user).extend({ password: password.nullable().optional() })

const shown = shownSchema(user)
export const createdUser = shown.extend({ profiles: z.array(shownSchema(profile)) })

export const userSchemas = { User: shown, UserPage: pageOf(shown), CreatedUser: createdUser }

const oneAnswer = (row: Row<'users'>) => answerWith(shownUser(row), row)

/** A user who was made, with their profiles. */
export const shownMade = ({ user: made, profiles }: MadeUser) => ({
  ...shownUser(made),
  profiles: profiles.map(shownProfile),
})

const createdUserAnswer = (made: MadeUser) =>
  madeAnswer(answerWith(shownMade(made), made.user), `/users/${made.user.uuid}`)

/** Hashes a password, which takes a while: before any transaction. */
const hashOf = async ({ passwords }: Administered, secret: string | null) =>
  secret === null ? null : await passwords.hash(secret)

export const userRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/users',
    permission: 'iam.users.read',
    summary: 'List and search users',
    description: 'By e-mail address.',
    answers: 'UserPage',
    query: z.strictObject({
      q: text(200)
        .optional()
        .describe(
          'The beginning of an e-mail address or of any word of a name, whatever its case; words end at a space or a hyphen. Who is found by the address comes first. Or a uuid.',
        ),
      active: flag.optional(),
      organisation_uuid: uuid.optional().describe('With a profile in this organisation.'),
      organisation_unit_uuid: uuid.optional().describe('With a profile at this unit or below it.'),
      uuid: uuids.optional(),
      ...paging,
    }),
    async handle({ service, by, query }) {
      const filter = {
        reach: by.authority.reach,
        organisationUuid: query.organisation_uuid,
        unitUuid: query.organisation_unit_uuid,
        active: query.active,
        search: query.q,
        uuids: query.uuid,
      }
      const { rows, next } = await listUsers(service.store, filter, searchCursor(query.cursor), query.limit)
      return { status: 200, body: { items: rows.map(shownUser), next_cursor: searchCursorText(next) } }
    },
  }),
  route({
    method: 'POST',
    path: '/users',
    permission: 'iam.users.create',
    summary: 'Add a user, with profiles',
    answers: 'CreatedUser',
    refusals: ['conflict', 'forbidden'],
    body: newUser,
    async handle({ service, by, body, repeatable }) {
      if (body.profiles.length > 0) by.authority.requires('iam.profiles.create')
      const userUuid = randomUUID()
      const made = {
        uuid: userUuid,
        columns: {
          ...newColumns(user, body),
          password_hash: await hashOf(service, body.password ?? null),
        },
        profiles: body.profiles.map((one) => ({
          uuid: randomUUID(),
          ...newColumns(profile, { ...one, user_uuid: userUuid }),
        })),
      }
      const created = await createUser(service.store, by, made, repeatable(createdUserAnswer))
      return createdAnswer(created, createdUserAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/users/:uuid',
    permission: 'iam.users.read',
    summary: 'Read a user',
    answers: 'User',
    async handle({ service, by, param }) {
      const row = await readUser(service.store, uuidOf(param('uuid'), 'user'), by.authority.reach)
      if (row === undefined) throw notFound('user')
      return oneAnswer(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/users/:uuid',
    permission: 'iam.users.update',
    summary: 'Change or disable a user',
    description:
      'Disabling ends every session and token of the user at once. A new address counts as not verified unless an administrator of the whole installation says so.',
    answers: 'User',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: userPatch,
    async handle({ service, by, body, param, versions }) {
      const secret = body.password
      const set = {
        ...changedColumns(user, body),
        ...(secret !== undefined && { password_hash: await hashOf(service, secret) }),
      }
      const change = { uuid: uuidOf(param('uuid'), 'user'), versions, set }
      return oneAnswer(await updateUser(service.store, by, change))
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/:uuid',
    permission: 'iam.users.delete',
    summary: 'Remove a user',
    description: 'With their profiles, sessions, tokens and consents. The audit keeps what they did.',
    answers: undefined,
    refusals: ['forbidden', 'last_administrator', 'managed_by_file'],
    async handle({ service, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'user')
      await deleteUser(service.store, by, { uuid, versions })
      return { status: 204 }
    },
  }),
]
