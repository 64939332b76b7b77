import * as z from 'zod'
import { tooLong } from '../protocol/length.ts'
import type { ValueProblem } from '../protocol/values.ts'

/** A text for which `problem` finds nothing wrong, of at most so many characters. */
export function checked(problem: ValueProblem, most?: number): z.ZodString {
  const text = z.string().check((context) => {
    const wrong = within(problem, most)(context.value)
    if (wrong === undefined) return
    context.issues.push({ code: 'custom', input: context.value, message: `It ${wrong}.` })
  })
  return most === undefined ? text : text.meta({ maxLength: most })
}

/** The problem as every door tells it: what a rule says of itself comes first. */
export const within =
  (problem: ValueProblem, most?: number): ValueProblem =>
  (value) =>
    problem(value) ?? (most === undefined ? undefined : tooLong(value, most))

/** A text of at most so many characters. */
export const anyText = (most: number): z.ZodString => checked(() => undefined, most)
