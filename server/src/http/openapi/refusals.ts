import { type ErrorCode, errorCatalogue } from '../../protocol/errors.ts'
import { answer, type HeaderName, page, type Piece, schema } from './parts.ts'

/** What any address may answer. */
const anywhere: readonly ErrorCode[] = ['method_not_allowed', 'server_error', 'temporarily_unavailable']

interface Options {
  /** People visit this address: a page for browsers, JSON for who does not accept HTML. */
  forPeople?: boolean
  /** Where an address answers with another status than the catalogue's. */
  statuses?: Partial<Record<ErrorCode, number>>
}

/** The refusals of an operation: one answer per status, one example per code, all out of the catalogue. */
export function refusals(codes: readonly ErrorCode[], options: Options = {}): Piece {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of [...codes, ...anywhere]) {
    const status = options.statuses?.[code] ?? errorCatalogue[code].status
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, these]) => [
      String(status),
      refusal(status, these, options.forPeople === true),
    ]),
  )
}

function refusal(status: number, codes: readonly ErrorCode[], forPeople: boolean): Piece {
  const description = codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join('\n\n')
  return answer(description, {
    headers: ['Cache-Control', ...new Set(codes.flatMap((code) => headersOf(code, status)))],
    content: {
      'application/json': { schema: schema('Error'), examples: errorExamples(codes) },
      ...(forPeople && page),
    },
  })
}

/** An unknown client on a page is told of by 400, and nobody is asked to authenticate there. */
function headersOf(code: ErrorCode, status: number): readonly HeaderName[] {
  if (status === 401 || code === 'insufficient_scope') return ['WWW-Authenticate']
  return furtherHeaders[code] ?? []
}

const furtherHeaders: Partial<Record<ErrorCode, HeaderName[]>> = {
  method_not_allowed: ['Allow'],
  too_many_requests: ['Retry-After'],
  temporarily_unavailable: ['Retry-After'],
}

function errorExamples(codes: readonly ErrorCode[]): Piece {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      {
        value: { error: code, error_description: errorCatalogue[code].meaning },
      },
    ]),
  )
}

/** The body of every refusal (RFC 6749 §5.2). */
export const errorSchema: Piece = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: {
      type: 'string',
      enum: Object.keys(errorCatalogue),
      description: 'What programs decide by. New codes may be added.',
    },
    error_description: {
      type: 'string',
      description: 'For developers: what is wrong with this very request. The words may change.',
    },
  },
  examples: [
    { error: 'invalid_grant', error_description: 'The code has expired. Start a new authorization request.' },
  ],
}

/** Every code with its meaning, as a table in Markdown. */
export function errorTable(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  return `| error | status | meaning |\n|---|---|---|\n${rows.join('\n')}`
}
