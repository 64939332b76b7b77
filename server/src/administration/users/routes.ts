import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { changedColumns, newColumns } from '../../catalogue/columns.ts'
import { profile } from '../../catalogue/profile.ts'
import { newBody, patchBody, shownSchema } from '../../catalogue/schemas.ts'
import { user } from '../../catalogue/user.ts'
import { passwordFor, passwordForUser } from '../../identity/new-password.ts'
import { forAnybody, type PasswordFor, passwordProblem } from '../../identity/password-rules.ts'
import { notFound, wrongField } from '../../protocol/problem.ts'
import type { By, Row } from '../by.ts'
import type { Flag } from '../../database/flag.ts'
import { passwordLength } from '../../protocol/password-text.ts'
import { code, day, flag, including, managedBy, pageOf, text, uuid, uuids } from '../fields.ts'
import { newProfile } from '../profiles/routes.ts'
import { profiles as profileResource } from '../profiles/verbs.ts'
import {
  changeRoute,
  creation,
  listed,
  listRoute,
  madeAnswer,
  readRoute,
  removeRoute,
} from '../resource-routes.ts'
import { type AdministrationService, createdAnswer, route, type Route } from '../route.ts'
import { type Held, heldBy, heldSchema } from './held.ts'
import { isBySignIn, listUsers, notBoth } from './list.ts'
import { createUser, deleteUser, type MadeUser, updateUser, users } from './verbs.ts'

export const password = z
  .string()
  .superRefine((value, context) => {
    const problem = passwordProblem(value, forAnybody)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ minLength: passwordLength.least, maxLength: passwordLength.most })
  .describe(
    `${passwordLength.least} to ${passwordLength.most} characters, in any script, as long as policy demands, and none of the most common passwords nor a word of the name or address. Changing it ends all sessions and tokens of the user.`,
  )

/** What is set here and in no declared file. */
const apart = {
  password: password.nullable().optional(),
  password_temporary: z
    .boolean()
    .optional()
    .describe(`With a password alone. ${user.password_temporary.description}`),
  enrolment_required: z.boolean().optional().describe(user.enrolment_required.description),
}

/** A password that is set is temporary where that is said with it. */
function temporaryOf({
  password: secret,
  password_temporary: temporary = false,
}: {
  password?: string | null | undefined
  password_temporary?: boolean | undefined
}): Flag {
  if (temporary && typeof secret !== 'string')
    throw wrongField('password_temporary', 'It is said of a password that is set with it.')
  return temporary ? 1 : 0
}

/** Nobody holds the same role twice at one place. */
const placeOf = ({ role_code, ...at }: z.output<typeof newProfile>): string =>
  `${role_code} ${at.organisation_uuid ?? ''} ${at.organisation_unit_uuid ?? ''}`

const newUser = newBody(user).extend({
  ...apart,
  profiles: z
    .array(newProfile)
    .max(50)
    .refine((list) => new Set(list.map(placeOf)).size === list.length, { error: 'Two of them are the same.' })
    .default([])
    .describe('What they may do, and where. An administrator of an organisation gives at least one in it.'),
})

const userPatch = patchBody(user).extend(apart)

const shown = shownSchema(user)
const createdUser = shown.extend({ profiles: z.array(shownSchema(profile)) })

const item = shown.extend({ holds: heldSchema })

export const userSchemas = { User: shown, UserPage: pageOf(item), CreatedUser: createdUser }

/** A user who was made, with their profiles. */
export const createdUserAnswer = ({ user: made, profiles }: MadeUser) =>
  madeAnswer(users, made, { profiles: profiles.map(profileResource.shown) })

const storedFlag = (value: boolean): Flag => (value ? 1 : 0)

/** Checks and hashes a password, which takes a while: before any transaction. */
async function hashOf(
  { passwords }: AdministrationService,
  secret: string | null,
  known: PasswordFor,
): Promise<string | null> {
  if (secret === null) return null
  const problem = passwordProblem(secret, known)
  if (problem !== undefined) throw wrongField('password', problem)
  return await passwords.hash(secret)
}

/** Hashes a changed password. A user beyond the reach is refused before anything is looked at. */
async function changedHash(
  service: AdministrationService,
  { authority }: By,
  uuid: string,
  secret: string | null,
  set: object,
): Promise<string | null> {
  const before = await users.find(service.store.db, uuid, authority)
  if (before === undefined) throw notFound('user')
  return await hashOf(service, secret, await passwordForUser(service.store, { ...before, ...set }))
}

interface Listed {
  row: Row<'users'>
  holds: Held | undefined
}

export const userRoutes: Route[] = [
  listRoute({
    ...listed(users),
    file: shown,
    summary: 'List and search users',
    example: '--organisation acme --search mara',
    columns: ['email', 'name', 'active', 'has_password'],
    description: 'By e-mail address, or by last sign-in.',
    query: {
      q: text(200)
        .optional()
        .describe(
          'The beginning of an e-mail address or of any word of a name, whatever its case; words end at a space or a hyphen. Who is found by the address comes first. Or a uuid.',
        ),
      active: flag.optional(),
      organisation_uuid: uuid.optional().describe('With a profile in this organisation.'),
      organisation_unit_uuid: uuid.optional().describe('With a profile at this unit or below it.'),
      uuid: uuids.optional(),
      role_code: code
        .optional()
        .describe('With a profile of this role, at the place that is listed. Needs `iam.profiles.read` too.'),
      managed_by: managedBy,
      sort: z
        .enum(['last_sign_in_on', '-last_sign_in_on'])
        .optional()
        .describe(
          'By the day of the last sign-in, then by address: who never signed in comes first, or with - who signed in last does. Not with a search.',
        ),
      signed_in_before: day
        .optional()
        .describe(
          'Who has not signed in on this day (UTC) or since, in the order of `sort`, by default longest ago first. Not with a search.',
        ),
      include: including('names', 'profiles'),
    },
    shown: ({ row, holds }: Listed) => ({ ...users.shown(row), ...(holds && { holds }) }),
    rows: async ({ service: { store }, by: { authority }, query, after, limit, include }) => {
      if (query.role_code !== undefined) authority.requires('iam.profiles.read')
      const bySignIn = isBySignIn(query)
      if (bySignIn && query.q !== undefined)
        throw wrongField(query.sort === undefined ? 'signed_in_before' : 'sort', notBoth)
      const page = await listUsers(store, authority.reach, query, after(bySignIn ? 2 : 3), limit)
      const uuids = page.rows.map(({ uuid: one }) => one)
      const holds = include.includes('profiles') ? await heldBy(store, authority, uuids) : undefined
      return { ...page, rows: page.rows.map((row) => ({ row, holds: holds?.(row.uuid) })) }
    },
  }),
  route({
    ...creation(users),
    summary: 'Add a user, with profiles',
    example: "ines.moreau@acme.example --name 'Ines Moreau' --locale sv --profile reader@acme",
    named: 'email',
    answers: 'CreatedUser',
    refusals: ['conflict', 'forbidden'],
    body: newUser,
    async handle({ service, by, body, repeatable }) {
      if (body.profiles.length > 0) by.authority.requires('iam.profiles.create')
      const user_uuid = randomUUID()
      const columns = newColumns(user, body)
      const profiles = body.profiles.map((one) => ({
        uuid: randomUUID(),
        ...newColumns(profile, { ...one, user_uuid }),
      }))
      const known = await passwordFor(service.store, columns, profiles)
      const made = {
        uuid: user_uuid,
        columns: {
          ...columns,
          password_temporary: temporaryOf(body),
          password_hash: await hashOf(service, body.password ?? null, known),
          enrolment_required: storedFlag(body.enrolment_required === true),
        },
        profiles,
      }
      const created = await createUser(service.store, by, made, repeatable(createdUserAnswer))
      return createdAnswer(created, createdUserAnswer)
    },
  }),
  readRoute(users, { summary: 'Read a user', example: 'ines.moreau@acme.example' }),
  changeRoute(users, {
    summary: 'Change or disable a user',
    example: "ines.moreau@acme.example --name 'Inês Moreau' --unset locale",
    description:
      'Disabling ends every session and token of the user at once. A new address counts as not verified unless an administrator of the whole installation says so.',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    body: userPatch,
    async change({ service, by, body }, one) {
      const { password: secret, enrolment_required: demanded } = body
      const password_temporary = temporaryOf(body)
      const columns = changedColumns(user, body)
      const set = {
        ...columns,
        ...(secret !== undefined && {
          password_temporary,
          password_hash: await changedHash(service, by, one.id, secret, columns),
        }),
        ...(demanded !== undefined && { enrolment_required: storedFlag(demanded) }),
      }
      return await updateUser(service.store, by, one, set)
    },
  }),
  removeRoute(users, {
    summary: 'Remove a user',
    description: 'With their profiles, sessions, tokens and consents. The audit keeps what they did.',
    refusals: ['conflict', 'forbidden', 'last_administrator', 'managed_by_file'],
    remove: ({ service, by }, one) => deleteUser(service.store, by, one),
  }),
]
