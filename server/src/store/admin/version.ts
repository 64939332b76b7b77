import { Problem } from '../../protocol/problem.ts'

/** The versions that a change may be made to; undefined: any. */
export type Versions = readonly number[] | undefined

export function staleVersion(): Problem {
  return new Problem(
    'precondition_failed',
    'It was changed since that version. Read it again, and send the change with the new ETag.',
  )
}

/** Whether a row would become another. */
export function differs(before: object, columns: object): boolean {
  const old = new Map<string, unknown>(Object.entries(before))
  return Object.entries(columns).some(([column, value]) => value !== undefined && value !== old.get(column))
}
