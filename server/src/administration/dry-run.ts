/** A change that is tried out: the same code in the same transaction, of which nothing stays. */
import * as z from 'zod'
import { Problem } from '../protocol/problem.ts'
import { effect as effectFields, newTrial, takenBack, type Trying } from './effect.ts'

const result = z.object({
  dry_run: z.literal(true),
  would: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('What the change would answer, without secrets; null: nothing.'),
  ...effectFields.shape,
})

export const dryRunSchemas = { DryRun: result }

/** What an answer shows this once: of a change that is only tried out it would open nothing. */
export const shownOnce: readonly string[] = ['client_secret', 'secret', 'link', 'address']

/** Whether a query asks for a dry run, and the query without that. Throws when it says something else. */
export function askedToTry(query: URLSearchParams): { tries: boolean; rest: URLSearchParams } {
  const [asked, ...more] = query.getAll('dry_run')
  const rest = new URLSearchParams(query)
  rest.delete('dry_run')
  if (more.length === 0 && ['true', 'false', undefined].includes(asked))
    return { tries: asked === 'true', rest }
  const field = { field: 'dry_run', detail: 'It is true or false, and sent once.' }
  throw new Problem('invalid_request', 'The query is not valid.', { fields: [field] })
}

/** What a change would do. Throws as the change does. Concurrency: see `takenBack`. */
export async function tryOut<A extends Trying>(
  asked: A,
  run: (asked: A) => Promise<{ body?: object }>,
): Promise<{ status: 200; body: z.output<typeof result> }> {
  const trial = newTrial()
  const { made, effect } = await takenBack(asked, async (within) => {
    const { body } = await run({ ...within, by: { ...asked.by, tried: trial } })
    return { made: body, trials: [trial] }
  })
  const would = made === undefined ? null : withoutSecrets(made)
  return { status: 200, body: { dry_run: true, would, ...effect } }
}

const withoutSecrets = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !shownOnce.includes(name)))
