/** Long works, which answer with a line of JSON for each step as long as they go on. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import { isStorageFailure } from '../database/failure.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { Problem } from '../protocol/problem.ts'
import type { RouteRequest, RouteResponse } from './route.ts'
import { beginAlone } from './work-alone.ts'

/** The last line of a work that ended before all was done. */
export const failedLine = z.object({
  kind: z.literal('failed'),
  code: z.string().describe('As of a refused request, such as `invalid_token`.'),
  detail: z.string(),
})

/**
 * Answers with the lines until there are no more, nobody listens, or the token does not count any more. Throws while another
 * long work of the organisation goes on.
 */
export function linesAnswer(
  asked: Pick<RouteRequest, 'service' | 'by' | 'closed' | 'stillCounts'>,
  lines: AsyncIterable<{ kind: string }>,
): RouteResponse {
  const { closed, stillCounts } = asked
  const end = beginAlone(asked)
  const text = async function* () {
    try {
      for await (const line of lines) {
        yield textOf(line)
        if (closed.aborted) return
        if (line.kind !== 'progress') continue
        // An embedded database answers at once, and others would wait for all of it.
        await nextTurn()
        if (await stillCounts()) continue
        throw new Problem('invalid_token', 'The access token does not count any more.')
      }
    } catch (error) {
      yield textOf(failedBy(error))
    } finally {
      end()
    }
  }
  return { status: 200, stream: { type: 'application/jsonl', text: text() } }
}

const textOf = (line: object): string => `${JSON.stringify(line)}\n`

/** Throws what nobody foresaw: the connection then ends without a last line. */
function failedBy(error: unknown): z.output<typeof failedLine> {
  if (error instanceof ProtocolError) return { kind: 'failed', code: error.code, detail: error.description }
  if (!isStorageFailure(error)) throw error
  const detail = 'The service can not reach its database. Try again in a few seconds.'
  return { kind: 'failed', code: 'temporarily_unavailable', detail }
}
