import type * as z from 'zod'
import type { FieldProblem } from '../protocol/problem.ts'

/** What a schema lets through of a value, or what is wrong with its fields, in words for people. */
export function checkedBy<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { data: z.output<S>; problems?: undefined } | { data?: undefined; problems: FieldProblem[] } {
  const { success, data, error } = schema.safeParse(value, { error: inOwnWords })
  return success ? { data } : { problems: error.issues.flatMap(problemsOf) }
}

/** What zod would say of types and choices, as people say it. */
function inOwnWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String).join(' or ')
    return `${issue.input === undefined ? 'It is missing; it is' : 'It is'} ${known}.`
  }
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'It is missing.'
  const kind = issue.expected === 'boolean' ? 'true or false' : `a value of the type ${issue.expected}`
  return issue.input === null ? `It can not be null; it is ${kind}.` : `It is ${kind}.`
}

function problemsOf(issue: z.core.$ZodIssue): FieldProblem[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') return [{ field: bounded(path.join('.')), detail: issue.message }]
  return issue.keys.map((key) => ({
    field: bounded([...path, key].join('.')),
    detail: 'It is not known here, or can not be set.',
  }))
}

/** A foreign name, without control characters. */
export const bounded = (name: string): string => name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, 100)
