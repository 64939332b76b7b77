/** What an import and its undoing answer while they go on: a line of JSON for each step. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import { ProtocolError } from '../../protocol/errors.ts'
import { Problem } from '../../protocol/problem.ts'
import { email, uuid } from '../fields.ts'
import type { RouteRequest, RouteResponse } from '../route.ts'

const failed = z.object({
  kind: z.literal('failed'),
  code: z.string().describe('As of a refused request, such as `invalid_token`.'),
  detail: z.string(),
})

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
  failed,
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
  failed,
])

export type ImportLine = z.output<typeof importLine>
export type UndoLine = z.output<typeof undoLine>
type Line = ImportLine | UndoLine

/** Answers with the lines until there are no more, nobody listens, or the token does not count any more. */
export function linesAnswer(
  { closed, stillCounts }: Pick<RouteRequest, 'closed' | 'stillCounts'>,
  lines: AsyncIterable<Line>,
): RouteResponse {
  const text = async function* () {
    try {
      for await (const line of lines) {
        yield `${JSON.stringify(line)}\n`
        if (closed.aborted) return
        if (line.kind !== 'progress') continue
        // An embedded database answers at once, and others would wait for all of it.
        await nextTurn()
        if (await stillCounts()) continue
        throw new Problem('invalid_token', 'The access token does not count any more.')
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const told: Line = { kind: 'failed', code: error.code, detail: error.description }
      yield `${JSON.stringify(told)}\n`
    }
  }
  return { status: 200, stream: { type: 'application/jsonl', text: text() } }
}
