import * as z from 'zod'
import { code, day, email, managedBy, text, uuid } from '../fields.ts'
import { manyLines } from '../many.ts'
import { newProfile } from '../profiles/routes.ts'
import { notBoth } from './list.ts'

/** More are told by a filter. */
const mostUuids = 1000

const people = z
  .strictObject({
    uuid: z
      .array(uuid.transform((one) => one.toLowerCase()))
      .max(mostUuids)
      .optional()
      .describe('These, whoever they are. Nothing else is said then.'),
    all: z.literal(true).optional().describe('Everybody within your reach. Nothing else is said then.'),
    q: text(200).optional(),
    active: z.boolean().optional(),
    organisation_uuid: uuid.optional(),
    organisation_unit_uuid: uuid.optional(),
    role_code: code.optional().describe('Needs `iam.profiles.read` too.'),
    managed_by: managedBy,
    signed_in_before: day.optional(),
  })
  .refine(
    (said) => {
      const { uuid: uuids, all, ...filters } = said
      const isFiltered = Object.values(filters).some((one) => one !== undefined)
      return [uuids !== undefined, all !== undefined, isFiltered].filter(Boolean).length === 1
    },
    { error: 'It is either uuid, or all, or what GET /users is filtered by.' },
  )
  .refine(({ q, signed_in_before: before }) => q === undefined || before === undefined, {
    path: ['signed_in_before'],
    error: notBoth,
  })
  .describe('Who: by their uuids, everybody, or those whom `GET /users` lists for the same fields.')

export const bulkBody = z.strictObject({
  action: z
    .enum(['disable', 'enable', 'give_role', 'end_role', 'invite'])
    .describe('`invite`: mails a link to set a password by, to those who have nothing to sign in by yet.'),
  people,
  profile: newProfile
    .omit({ active: true })
    .optional()
    .describe(
      'With `give_role` and `end_role` alone: the role, and the very place. What is ended has no end.',
    ),
})

export type BulkBody = z.output<typeof bulkBody>

const counts = {
  people: z.int().describe('Who were looked at so far.'),
  changed: z.int().describe('Or would be.'),
  already: z.int().describe('It was so already, and nothing was written.'),
  refused: z.int(),
}

const bulkLine = manyLines(counts, {
  user_uuid: uuid,
  email: email.nullable().describe('null: nobody within your reach has this uuid.'),
  name: z.string().nullable(),
})

export type BulkLine = z.output<typeof bulkLine>
export const bulkSchemas = { BulkLine: bulkLine }
