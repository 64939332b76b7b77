/** Bulk changes over HTTP, as tests send them and read their lines. */
import { type Administrator, problemOf } from './support.ts'

interface BulkLine {
  kind: string
  user_uuid?: string
  email?: string | null
  code?: string
  detail?: string
}

export interface Bulk {
  lines: BulkLine[]
  /** The last line. */
  end: BulkLine & Record<string, unknown>
  /** `address code` of each who was refused; of nobody known the uuid. */
  refused: string[]
  requestId: string
}

/** The lines, or the refusal before them as an error. */
export async function bulkBy(
  who: Administrator,
  body: object,
  query = '',
  path = '/users/bulk',
): Promise<Bulk> {
  const answer = await who.post(`${path}${query}`, body)
  if (answer.status !== 200) throw new Error(problemOf(answer))
  if (answer.headers.get('content-type') !== 'application/jsonl') throw new Error('These are no lines.')
  return { ...toldBy(answer.text), requestId: answer.headers.get('x-request-id') ?? '' }
}

export function toldBy(text: string): Omit<Bulk, 'requestId'> {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as BulkLine)
  const refused = lines
    .filter(({ kind }) => kind === 'refused')
    .map(({ email, user_uuid: uuid, code }) => `${email ?? uuid} ${code}`)
  return { lines, end: lines.at(-1) as Bulk['end'], refused }
}

export const triedBy = async (who: Administrator, body: object, path?: string): Promise<Bulk> =>
  await bulkBy(who, body, '?dry_run=true', path)

/** The status, code and fields of a refusal before any line. */
export const refusalBy = async (
  who: Administrator,
  body: object,
  query = '',
  path?: string,
): Promise<string> =>
  await bulkBy(who, body, query, path).then(
    () => 'not refused',
    (error: Error) => error.message,
  )
