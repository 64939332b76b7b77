import { type ErrorCode, errorCatalogue } from '../../protocol/errors.ts'
import { answer, type Piece, schema } from './parts.ts'

/** Codes by the status that they are answered with. */
export function byStatus(
  codes: Iterable<ErrorCode>,
  statusOf = (code: ErrorCode): number => errorCatalogue[code].status,
): Map<number, ErrorCode[]> {
  const found = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const status = statusOf(code)
    found.set(status, [...(found.get(status) ?? []), code])
  }
  return found
}

/** Codes with what they mean, in Markdown. */
export const meanings = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join('\n\n')

/** What any address may answer. */
const anywhere: readonly ErrorCode[] = ['method_not_allowed', 'server_error', 'temporarily_unavailable']

/**
 * The refusals of an operation: an answer for each status, an example for each code. Where people visit, browsers get
 * a page, and an unknown client is told of by 400: nobody is asked to authenticate there.
 */
export function refusals(codes: readonly ErrorCode[], forPeople: boolean): Piece {
  const statusOf = (code: ErrorCode) =>
    forPeople && code === 'invalid_client' ? 400 : errorCatalogue[code].status
  // A body may also be compressed.
  const ofBody: ErrorCode[] = codes.includes('request_too_large') ? ['unsupported_media_type'] : []
  const found = byStatus([...codes, ...ofBody, ...anywhere], statusOf)
  return Object.fromEntries([...found].map(([status, these]) => [status, refusal(status, these, forPeople)]))
}

function refusal(status: number, codes: readonly ErrorCode[], forPeople: boolean): Piece {
  const examples = codes.map((code) => [
    code,
    { value: { error: code, error_description: errorCatalogue[code].meaning } },
  ])
  return answer({
    description: meanings(codes),
    headers: ['Cache-Control', ...headersOf(status, codes)],
    content: {
      'application/json': { schema: schema('Error'), examples: Object.fromEntries(examples) },
      ...(forPeople && { 'text/html': { schema: { type: 'string', description: 'A page for people.' } } }),
    },
  })
}

function headersOf(status: number, codes: readonly ErrorCode[]): string[] {
  if (status === 401 || codes.includes('insufficient_scope')) return ['WWW-Authenticate']
  if (status === 405) return ['Allow']
  return status === 429 || status === 503 ? ['Retry-After'] : []
}
