import * as z from 'zod'
import { checked } from '../catalogue/checked.ts'
import { longestPrefix, movedSystems, prefixProblem } from '../protocol/move-in.ts'
import { admits, fileName, patience } from './declared.ts'
import { text } from './fields.ts'
import { route, type Route } from './route.ts'

/** Moving in over HTTP: what `tessera move-in` does with files, for whoever administers everything. */

/** The export itself, as JSON has it. */
const bodyLimit = 20 * 1024 * 1024
const mostFiles = 1000

const sentExport = z.strictObject({
  source: z.enum(movedSystems).describe('The other system.'),
  files: z
    .array(z.strictObject({ name: fileName, text: z.string() }))
    .min(1)
    .max(mostFiles)
    .describe(
      'The files of its export, as docs/move-in says for each system. They are not kept, and nothing that they name is read.',
    ),
  mapping: z
    .string()
    .optional()
    .describe('The text of `mapping` of an earlier answer, as somebody edited it.'),
  prefix: checked(prefixProblem, longestPrefix)
    .optional()
    .describe('What stands before each code, where several systems move in.'),
  rp_id: text(253).optional().describe('The domain of passkeys here; those of another stay behind.'),
})

const moved = z.object({
  declared: z
    .string()
    .describe('The declared file `declared.yaml`, for `/declared/plan`. It holds hashes of client secrets.'),
  people: z
    .string()
    .describe('The people `people.jsonl`, to import: one a line, with hashes and secrets of second factors.'),
  mapping: z
    .string()
    .describe(
      'The file `mapping.yaml`: how roles, groups and attributes become profiles. Edit it, and send it along.',
    ),
  report: z
    .string()
    .describe('The report `report.md`: what is to be decided, what does not come along, what comes changed.'),
  counts: z
    .object({ people: z.int(), clients: z.int(), decide: z.int() })
    .describe('How many people and clients there are, and how many kinds of things are to be decided.'),
})

export const moveInSchemas = { MovedIn: moved }

export const moveInRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/move-in',
    permission: 'iam.declared.read',
    summary: 'Read the export of another system',
    description:
      'What `tessera move-in` writes, as texts. Nothing is changed, here or there: no database is opened, and nothing is kept. An export that can not be read is told with its file and place; a wrong line of `mapping` in `errors`. At most 20 MiB: use the command for more. One at a time, for administrators of everything. The answer holds hashes of passwords and secrets.',
    answers: 'MovedIn',
    changes: false,
    makes: false,
    repeatable: false,
    refusals: ['forbidden', 'conflict'],
    bodyLimit,
    tooLarge: 'An export of more than 20 MiB is read by the command alone: use tessera move-in.',
    admits,
    patience,
    body: sentExport,
    handle: async ({ service, body }) => ({ status: 200, body: await service.declared.moveIn(body) }),
  }),
]
