/** The VISTA format: what a row is, and how a file in JSON or CSV becomes rows. It knows no HTTP and no storage. */
import { z } from 'zod'
import { CsvError, parseCsv } from './csv.ts'

export const maxRows = 1000
export const categories = ['dataset', 'grant', 'publication', 'report', 'other'] as const

const text = (most: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is missing' : 'must be a text') })
    .trim()
    .min(1, 'is missing')
    .max(most, `must have at most ${most} characters`)

const row = z.strictObject(
  {
    reference: text(64).regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/, 'may hold letters, digits and . _ / - only'),
    title: text(200),
    submitter_email: text(254).pipe(z.email('must be an e-mail address')),
    submitted_at: text(10).pipe(z.iso.date('must be a date, YYYY-MM-DD')),
    category: z.enum(categories, { error: `must be one of ${categories.join(', ')}` }),
    notes: z.string('must be a text').trim().max(2000, 'must have at most 2000 characters').default(''),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'must be an object' : undefined) },
)

/** One row that can be imported. */
export type Submission = z.output<typeof row>

/** One reason why a row was not imported; `row` counts from 1, a CSV header not included. */
export interface RefusedRow {
  row: number
  field: string
  reason: string
}

/** A file that can't be read at all; the message may be shown to its sender. */
export class UnreadableFile extends Error {}

export interface CheckedRows {
  valid: { row: number; submission: Submission }[]
  refused: RefusedRow[]
}

const jsonFile = z.strictObject({ submissions: z.array(z.unknown()).min(1).max(maxRows) })

/** @throws UnreadableFile when the body is not `{"submissions": [...]}` with 1 to 1,000 rows. */
export function readJsonFile(body: unknown): unknown[] {
  const file = jsonFile.safeParse(body)
  if (file.success) return file.data.submissions
  throw new UnreadableFile(
    `The body must be {"submissions": […]} and nothing else, with 1 to ${maxRows} rows`,
  )
}

/** @throws UnreadableFile when the text is no CSV, its header is not that of the format, or rows are missing. */
export function readCsvFile(body: string): unknown[] {
  const [header, ...records] = parseRecords(body)
  if (header === undefined) throw new UnreadableFile('The file is empty')
  const columns = header.map((name) => name.trim())
  const unknown = columns.find((name) => !Object.hasOwn(row.shape, name))
  if (unknown !== undefined) throw new UnreadableFile(`Unknown column "${unknown}"`)
  if (new Set(columns).size < columns.length) throw new UnreadableFile('A column occurs twice')
  const missing = Object.keys(row.shape).find((name) => name !== 'notes' && !columns.includes(name))
  if (missing !== undefined) throw new UnreadableFile(`The column "${missing}" is missing`)
  if (records.length === 0 || records.length > maxRows) {
    throw new UnreadableFile(`1 to ${maxRows} rows are needed after the header, not ${records.length}`)
  }
  return records.map((fields) =>
    // A row of another length has lost or gained a comma; guessing which field it was would import nonsense.
    fields.length === columns.length
      ? Object.fromEntries(columns.map((name, at) => [name, fields[at]]))
      : null,
  )
}

function parseRecords(body: string): string[][] {
  try {
    return parseCsv(body)
  } catch (problem) {
    if (problem instanceof CsvError) throw new UnreadableFile(problem.message)
    throw problem
  }
}

/**
 * Sorts rows into those that can be imported and those that can't; a reference that occurs again is refused.
 * @param today the day after which a submission can't be dated, YYYY-MM-DD.
 */
export function checkRows(rows: readonly unknown[], today: string): CheckedRows {
  const checked: CheckedRows = { valid: [], refused: [] }
  const seen = new Map<string, number>()
  for (const [at, candidate] of rows.entries()) {
    const number = at + 1
    const refuse = (field: string, reason: string) => checked.refused.push({ row: number, field, reason })
    const result = row.safeParse(candidate)
    if (!result.success) {
      if (candidate === null || typeof candidate !== 'object')
        refuse('', 'does not have the fields of the format')
      else for (const [field, reason] of problems(result.error)) refuse(field, reason)
      continue
    }
    const submission = result.data
    const earlier = seen.get(submission.reference)
    if (submission.submitted_at > today) refuse('submitted_at', 'lies in the future')
    else if (earlier !== undefined) refuse('reference', `occurs already in row ${earlier}`)
    else {
      seen.set(submission.reference, number)
      checked.valid.push({ row: number, submission })
    }
  }
  return checked
}

/** One reason for each field: the first. */
function problems(error: z.ZodError): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const issue of error.issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) reasons.set(key, 'is not known')
    else if (!reasons.has(String(issue.path[0]))) reasons.set(String(issue.path[0] ?? ''), issue.message)
  }
  return reasons
}
