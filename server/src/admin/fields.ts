import * as z from 'zod'
import { iamWildcard, isPermission } from '../protocol/permission.ts'
import {
  audienceProblem,
  clientIdProblem,
  codeProblem,
  emailProblem,
  instantOf,
  isUuid,
  localeProblem,
  longTextProblem,
  originProblem,
  textProblem,
  timeZoneProblem,
  type ValueProblem,
} from '../protocol/values.ts'
import { redirectUriProblem } from '../protocol/redirect-uri.ts'

/** The kinds of values that bodies and queries hold, by the same rules as the declared file has them. */

/** A text for which `problem` finds nothing wrong. */
function checked(problem: ValueProblem, maxLength?: number) {
  const text = z.string()
  const bounded = maxLength === undefined ? text : text.max(maxLength, { abort: true })
  return bounded.check((context) => {
    const wrong = problem(context.value)
    if (wrong === undefined) return
    context.issues.push({ code: 'custom', input: context.value, message: `It ${wrong}.` })
  })
}

export const text = (maxLength: number) => checked(textProblem(maxLength), maxLength)
export const code = checked(codeProblem, 60).meta({ pattern: '^[a-z0-9][a-z0-9-]*$' })
export const email = checked(emailProblem, 255).meta({ format: 'email' })
export const audience = checked(audienceProblem, 500).meta({ format: 'uri' })
export const clientId = checked(clientIdProblem, 100)
export const origin = checked(originProblem, 500)
export const longText = (maxLength: number) => checked(longTextProblem(maxLength), maxLength)
const isNoPermission = (value: string) =>
  isPermission(value) ? undefined : 'is no permission: <service>.<resource>.<action>'
export const permission = checked(isNoPermission, 200)
export const permissionOrWildcard = checked(
  (value) => (value === iamWildcard ? undefined : isNoPermission(value)),
  200,
)
/** What codes begin with, for a search. */
export const codeStart = z
  .string()
  .regex(/^[a-z0-9-]{1,60}$/, { error: 'It is the beginning of a code.' })
  .describe('The beginning of a code.')
export const permissionStart = z
  .string()
  .regex(/^[a-z0-9.-]{1,200}$/, { error: 'It is the beginning of a code.' })
  .describe('The beginning of a code.')

/** A list in which nothing stands twice. */
export const distinct = <T extends z.ZodType<string>>(item: T, most: number) =>
  z
    .array(item)
    .max(most)
    .refine((list) => new Set(list).size === list.length, { error: 'Something stands in it twice.' })

export const locale = checked(localeProblem, 60)
export const timeZone = checked(timeZoneProblem, 60)
export const webAddress = checked((value) => redirectUriProblem(value, 'web'), 2000).meta({ format: 'uri' })
export const uuid = checked((value) => (isUuid(value) ? undefined : 'is no UUID'), 36)
  .overwrite((value) => value.toLowerCase())
  .meta({ format: 'uuid' })

/** A moment: text in bodies, epoch milliseconds in the store. */
export const instant = checked(
  (value) => (instantOf(value) === undefined ? 'is no time; write 2031-01-31T12:00:00Z' : undefined),
  40,
).meta({ format: 'date-time' })

/** Epoch milliseconds of a moment that was checked. */
export const millisecondsOf = (moment: string): number => instantOf(moment) ?? 0

/** The mark of a declared file. */
export const managedBy = z
  .string()
  .nullable()
  .describe('The declared file that manages it, which changes only when `Tessera-Managed: override` is sent.')

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** In a query everything is text. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

export const columnFlag = (value: boolean): 0 | 1 => (value ? 1 : 0)

const largestPage = 200

/** The parameters of every list. */
export const paging = {
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: 'It is a number.' })
    .transform(Number)
    .pipe(z.number().min(1).max(largestPage))
    .default(50)
    .describe(`How many at the most, 1 to ${largestPage}.`),
  cursor: z.string().max(2000).optional().describe('`next_cursor` of the page before, as it is.'),
}

/** The body of every list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
  })
