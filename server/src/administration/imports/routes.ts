import { basename } from 'node:path'
import * as z from 'zod'
import { notFound } from '../../protocol/problem.ts'
import { text } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { route, type Route } from '../route.ts'
import { imported } from './importing.ts'
import { findImport, listImports, shown, shownImport } from './shown.ts'
import { undoneImport } from './undo.ts'

export { importSchemas } from './shown.ts'

const most = 5 * 1024 * 1024
/** A text of 5 MiB, each second character of which JSON has to escape. */
const bodyLimit = 2 * most

const sent = z.strictObject({
  name: text(200)
    .refine((name) => basename(name) === name && !['.', '..'].includes(name), {
      message: 'It is the name of the file, without a folder.',
    })
    .describe('Of the file, for the list of imports and the audit.'),
  text: z
    .string()
    .refine((one) => !/\p{Surrogate}/u.test(one), { message: 'It holds half a character.' })
    .refine((one) => Buffer.byteLength(one) <= most, {
      message: 'It has more than 5 MiB: split it, or use tessera import.',
    })
    .describe('The file itself, CSV or JSON lines, at most 5 MiB in UTF-8. It is not kept.'),
})

export const importRoutes: Route[] = [
  listRoute({
    path: '/imports',
    permission: 'iam.users.read',
    summary: 'List imports',
    columns: ['uuid', 'name', 'created_at', 'people', 'signed_in'],
    description:
      'The newest first, with how many of their people are still there. An administrator of an organisation or a unit sees those that were made within it.',
    answers: 'ImportPage',
    shown,
    file: shownImport,
    rows: async ({ service, by, after, limit }) =>
      await listImports(service.store.db, by.authority.reach, { after: after(2), limit }),
  }),
  route({
    method: 'POST',
    path: '/imports',
    permission: 'iam.users.create',
    summary: 'Import people from a file',
    description:
      'Adds the people of CSV or JSON lines, as `tessera import` reads them (docs/import.md), 200 at a time; what a batch tells as imported stays. Who sent it and was cut off sends it again: what is in already is told as such. Needs `iam.profiles.create` too. Who administers everything imports all that a file can say but weak hashes and those of Firebase, after a recent sign-in; for everybody else each row is what `POST /users` would do, and columns that it has no word for are refused. A dry run tells the same, and nothing is written. One such work of an organisation goes on at a time: another is refused with 503.',
    answers: 'ImportLine',
    lines: true,
    makes: false,
    repeatable: false,
    refusals: ['forbidden'],
    bodyLimit,
    admits: (authority) => authority.requires('iam.profiles.create'),
    patience: 60_000,
    body: sent,
    tried: async (asked) => await imported(asked, true),
    handle: async (asked) => await imported(asked, false),
  }),
  route({
    method: 'GET',
    path: '/imports/:uuid',
    permission: 'iam.users.read',
    summary: 'Read an import',
    answers: 'Import',
    async handle({ service, by, param }) {
      const found = await findImport(service.store.db, uuidOf(param('uuid'), 'import'), by.authority.reach)
      if (found === undefined) throw notFound('import')
      return { status: 200, body: shown(found) }
    },
  }),
  route({
    method: 'POST',
    path: '/imports/:uuid/undo',
    permission: 'iam.users.delete',
    summary: 'Undo an import',
    description:
      'Removes its people who have never signed in, as `DELETE /users/{uuid}` does, each with all that is theirs, also what they got since. Who has signed in stays. An unproved account that the import replaced does not come back, and a `uuid` that the file brought is never given again. Needs `iam.users.read` too.',
    answers: 'ImportUndoLine',
    lines: true,
    makes: false,
    repeatable: false,
    refusals: ['forbidden', 'managed_by_file', 'last_administrator'],
    patience: 60_000,
    // A refusal names somebody by their address.
    admits: (authority) => authority.requires('iam.users.read'),
    tried: async (asked) => await undoneImport(asked, uuidOf(asked.param('uuid'), 'import'), true),
    handle: async (asked) => await undoneImport(asked, uuidOf(asked.param('uuid'), 'import'), false),
  }),
]
