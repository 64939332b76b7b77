/** Imports over HTTP, as tests send them and read their lines. */
import { Administrator, problemOf } from './support.ts'

interface Line {
  kind: string
  line?: number
  last_line?: number
  field?: string
  code?: string
  detail?: string
  email?: string
}

export interface Told {
  lines: Line[]
  /** The last line. */
  end: Line & Record<string, unknown>
  /** `line field` of each refused row; of an undo the address and the code. */
  refused: string[]
  requestId: string
}

const sent = async (who: Administrator, path: string, body: unknown): Promise<Told> => {
  const answer = await who.ask('POST', path, body === undefined ? {} : { body })
  if (answer.status !== 200) throw new Error(problemOf(answer))
  if (answer.headers.get('content-type') !== 'application/jsonl') throw new Error('These are no lines.')
  const lines = answer.text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as Line)
  const end = lines.at(-1) as Told['end']
  const refused = lines
    .filter(({ kind }) => kind === 'refused')
    .map(({ line, field, email, code }) => (line === undefined ? `${email} ${code}` : `${line} ${field}`))
  return { lines, end, refused, requestId: answer.headers.get('x-request-id') ?? '' }
}

export const importBy = async (who: Administrator, text: string, query = '') =>
  await sent(who, `/imports${query}`, { name: 'people.csv', text })

export const undoBy = async (who: Administrator, uuid: unknown, query = '') =>
  await sent(who, `/imports/${String(uuid)}/undo${query}`, undefined)

/** The status and code of a refusal before any line. */
export const refusalOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'not refused',
    (error: Error) => error.message,
  )

/** CSV with these columns, of which each row is an address and what follows. */
export const csv = (columns: string, ...rows: string[]): string => [columns, ...rows, ''].join('\n')

export const reasonsOf = ({ lines }: Told): string[] => lines.flatMap(({ detail }) => detail ?? [])
