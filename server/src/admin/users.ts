import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { passwordProblem } from '../identity/password-rules.ts'
import { passwordLength } from '../protocol/password-text.ts'
import { notFound } from '../protocol/problem.ts'
import type { Row } from '../store/admin/change.ts'
import {
  createUser,
  deleteUser,
  type MadeUser,
  updateUser,
  type UserColumns,
} from '../store/admin/user-changes.ts'
import { listUsers, readUser } from '../store/admin/users.ts'
import { searchCursor, searchCursorText } from './cursor.ts'
import {
  email,
  flag,
  isoTime,
  locale,
  managedBy,
  pageOf,
  paging,
  text,
  timeZone,
  uuid,
  webAddress,
} from './fields.ts'
import { uuidOf } from './path.ts'
import { newProfile, profile, profileColumns, shownProfile } from './profiles.ts'
import { type Administered, type Answer, createdAnswer, route, type Route } from './route.ts'

/** A user as the API shows them: names as the claims have them. A password is never shown. */
export const user = z.object({
  uuid: uuid.describe('Their `sub`; never changes, never used again.'),
  email,
  email_verified: z.boolean(),
  name: text(200),
  given_name: text(200).nullable(),
  family_name: text(200).nullable(),
  preferred_username: text(200).nullable(),
  picture: webAddress.nullable(),
  locale: locale.nullable(),
  zoneinfo: timeZone.nullable(),
  has_password: z.boolean(),
  active: z.boolean().describe('A disabled user can not sign in, and every session and token has ended.'),
  managed_by: managedBy,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

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

const optional = {
  given_name: text(200).nullable().optional(),
  family_name: text(200).nullable().optional(),
  preferred_username: text(200).nullable().optional(),
  picture: webAddress.nullable().optional(),
  locale: locale.nullable().optional(),
  zoneinfo: timeZone.nullable().optional(),
  email_verified: z.boolean().optional(),
  active: z.boolean().optional(),
  password: password.nullable().optional(),
}

/** Nobody holds the same role twice at one place. */
const placeOf = (one: z.output<typeof newProfile>): string => {
  const { role_code, organisation_uuid, unit_uuid } = profileColumns(one)
  return `${role_code} ${organisation_uuid} ${unit_uuid}`
}

const newUser = z.strictObject({
  email,
  name: text(200),
  ...optional,
  profiles: z
    .array(newProfile)
    .max(50)
    .refine((list) => new Set(list.map(placeOf)).size === list.length, { error: 'Two of them are the same.' })
    .default([])
    .describe('What they may do, and where. Whoever administers an organisation gives at least one in it.'),
})

const userPatch = z.strictObject({ email: email.optional(), name: text(200).optional(), ...optional })

export const createdUser = user.extend({ profiles: z.array(profile) })

export const userSchemas = { User: user, UserPage: pageOf(user), CreatedUser: createdUser }

export function shownUser(row: Row<'users'>): z.output<typeof user> {
  return {
    uuid: row.uuid,
    email: row.email,
    email_verified: row.email_verified === 1,
    name: row.name,
    given_name: row.given_name,
    family_name: row.family_name,
    preferred_username: row.preferred_username,
    picture: row.picture,
    locale: row.locale,
    zoneinfo: row.zoneinfo,
    has_password: row.password_hash !== null,
    active: row.active === 1,
    managed_by: row.managed_by,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

const answerWith = (row: Row<'users'>): Answer => ({
  status: 200,
  body: shownUser(row),
  version: row.version,
})

const madeAnswer = (made: MadeUser): Answer => ({
  status: 201,
  body: { ...shownUser(made.user), profiles: made.profiles.map(shownProfile) },
  version: made.user.version,
  location: `/users/${made.user.uuid}`,
})

/** What a body says of the columns. Hashes the password, which takes a while: before any transaction. */
async function columnsOf(
  { passwords }: Administered,
  body: z.output<typeof userPatch>,
): Promise<Partial<UserColumns>> {
  const { email_verified: verified, active, password: secret, ...texts } = body
  const set: Partial<UserColumns> = withoutUndefined(texts)
  if (verified !== undefined) set.email_verified = verified ? 1 : 0
  if (active !== undefined) set.active = active ? 1 : 0
  if (secret !== undefined) set.password_hash = secret === null ? null : await passwords.hash(secret)
  return set
}

const withoutUndefined = (texts: object): Partial<UserColumns> =>
  Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))

export const noColumns: Omit<UserColumns, 'email' | 'name'> = {
  email_verified: 0,
  given_name: null,
  family_name: null,
  preferred_username: null,
  picture: null,
  locale: null,
  zoneinfo: null,
  password_hash: null,
  active: 1,
}

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
          'The beginning of an e-mail address or of any word of a name, whatever its case; words end at a space or a hyphen. Who is found by the address comes first.',
        ),
      active: flag.optional(),
      organisation_uuid: uuid.optional().describe('With a profile in this organisation.'),
      organisation_unit_uuid: uuid.optional().describe('With a profile at this unit or below it.'),
      ...paging,
    }),
    async handle({ service, actor, query }) {
      const filter = {
        reach: actor.reach,
        organisationUuid: query.organisation_uuid,
        unitUuid: query.organisation_unit_uuid,
        active: query.active,
        search: query.q,
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
    async handle({ service, actor, by, body, repeatable }) {
      const { profiles, email: address, name, ...rest } = body
      if (profiles.length > 0) actor.requires('iam.profiles.create')
      const set = await columnsOf(service, rest)
      const made = {
        uuid: randomUUID(),
        columns: { ...noColumns, ...set, email: address, name },
        profiles: profiles.map((one) => ({ uuid: randomUUID(), ...profileColumns(one) })),
      }
      const show = { user: shownUser, profile: shownProfile }
      const options = { show, repeatable: repeatable(madeAnswer) }
      return createdAnswer(await createUser(service.store, by, actor, made, options), madeAnswer)
    },
  }),
  route({
    method: 'GET',
    path: '/users/:uuid',
    permission: 'iam.users.read',
    summary: 'Read a user',
    answers: 'User',
    async handle({ service, actor, param }) {
      const row = await readUser(service.store, uuidOf(param('uuid'), 'user'), actor.reach)
      if (row === undefined) throw notFound('user')
      return answerWith(row)
    },
  }),
  route({
    method: 'PATCH',
    path: '/users/:uuid',
    permission: 'iam.users.update',
    summary: 'Change or disable a user',
    description:
      'Disabling ends every session and token of the user at once. A new address counts as not verified unless it is said to be.',
    answers: 'User',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: userPatch,
    async handle({ service, actor, by, body, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'user')
      const change = { uuid, versions, set: await columnsOf(service, body) }
      return answerWith(await updateUser(service.store, by, actor, change, shownUser))
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
    async handle({ service, actor, by, param, versions }) {
      const uuid = uuidOf(param('uuid'), 'user')
      await deleteUser(service.store, by, actor, { uuid, versions }, shownUser)
      return { status: 204 }
    },
  }),
]
