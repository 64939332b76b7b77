import * as z from 'zod'
import type { ValueProblem } from '../protocol/values.ts'

/** A text for which `problem` finds nothing wrong. */
export function checked(problem: ValueProblem, most?: number): z.ZodString {
  const bounded = most === undefined ? z.string() : z.string().max(most, { abort: true })
  return bounded.check((context) => {
    const wrong = problem(context.value)
    if (wrong === undefined) return
    context.issues.push({ code: 'custom', input: context.value, message: `It ${wrong}.` })
  })
}
