import type * as z from 'zod'
import { beginningOf } from '../protocol/length.ts'
import type { FieldProblem } from '../protocol/problem.ts'

/** What a schema lets through of a value, or what is wrong with its fields, in words for people. */
export function checkedBy<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { data: z.output<S>; problems?: undefined } | { data?: undefined; problems: FieldProblem[] } {
  const { success, data, error } = parsedBy(schema, value)
  return success ? { data } : { problems: error.issues.flatMap(problemsOf) }
}

/** What a schema makes of a value; the issues have messages for people. */
export const parsedBy = <S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseResult<z.output<S>> =>
  schema.safeParse(value, { error: inOwnWords })

/** What zod would say of types and choices, as people say it. */
function inOwnWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String).join(' or ')
    return `${issue.input === undefined ? 'It is missing; it is' : 'It is'} ${known}.`
  }
  if (issue.code !== 'invalid_type') return boundsOrForm(issue)
  if (issue.input === undefined) return 'It is missing.'
  const kind = kindsOfValues[issue.expected] ?? `a value of the type ${issue.expected}`
  return issue.input === null ? `It can not be null; it is ${kind}.` : `It is ${kind}.`
}

const kindsOfValues: Readonly<Record<string, string>> = { boolean: 'true or false', int: 'a whole number' }

function boundsOrForm(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'too_big') {
    if (issue.origin === 'array') return `It has more than ${issue.maximum} entries.`
    return `It is more than ${issue.maximum}.`
  }
  if (issue.code === 'too_small') {
    if (issue.origin !== 'array') return `It is less than ${issue.minimum}.`
    return issue.minimum === 1 ? 'It is empty.' : `It has less than ${issue.minimum} entries.`
  }
  if (issue.code === 'invalid_format')
    return issue.format === 'uuid' ? 'It is no UUID.' : 'It has another form.'
  if (issue.code === 'invalid_union') return 'It is of none of the types that it may have.'
  // Its key was checked by words of ours.
  return issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined
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
export const bounded = (name: string): string => beginningOf(name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '?'), 100)
