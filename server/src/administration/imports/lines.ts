/** What an import and its undoing answer while they go on: a line of JSON for each step. */
import * as z from 'zod'
import { email, uuid } from '../fields.ts'
import { failedLine } from '../lines.ts'

const counts = {
  rows: z.int().describe('That were read.'),
  imported: z.int(),
  replaced: z.int().describe('Of the imported: in place of an unproved account, which was removed.'),
  already: z.int().describe('Imported from the same row before.'),
  refused: z.int(),
  import_uuid: uuid.nullable().describe('The import that these people are of; null: nobody came by it.'),
}

export const importLine = z.union([
  z.object({ kind: z.literal('progress'), ...counts }),
  z.object({
    kind: z.literal('refused'),
    line: z.int().describe('On which the row begins, from 1.'),
    last_line: z.int().describe('On which it ends.'),
    field: z.string(),
    detail: z.string(),
  }),
  z.object({
    kind: z.literal('done'),
    ...counts,
    dry_run: z.boolean(),
    format: z.enum(['csv', 'jsonl']),
    columns: z.array(z.string()).describe('Of CSV: those that the file names.'),
    sign_in_again: z
      .boolean()
      .describe('Of a dry run: whether it would be refused until the person has signed in again.'),
  }),
  failedLine,
])

const undoCounts = {
  people: z.int().describe('Of the import, that were there, within your reach, when it began.'),
  removed: z.int().describe('Or would be.'),
  signed_in: z.int().describe('Who signed in stays.'),
  refused: z.int(),
  changed: z
    .int()
    .describe('Of the removed: to whom something happened since the import, such as a role by hand.'),
}

export const undoLine = z.union([
  z.object({ kind: z.literal('progress'), ...undoCounts }),
  z.object({ kind: z.literal('refused'), user_uuid: uuid, email, code: z.string(), detail: z.string() }),
  z.object({
    kind: z.literal('done'),
    ...undoCounts,
    dry_run: z.boolean(),
    replaced: z
      .int()
      .describe('Unproved accounts in whose place the import put people: they do not come back.'),
    sign_in_again: z.boolean(),
  }),
  failedLine,
])

export type ImportLine = z.output<typeof importLine>
export type UndoLine = z.output<typeof undoLine>
