import * as z from 'zod'
import * as kinds from '../catalogue/kinds.ts'
import { anyText, checked } from '../catalogue/checked.ts'
import { schemaOf } from '../catalogue/schemas.ts'
import type { Flag } from '../database/flag.ts'
import { isBuiltIn } from '../protocol/built-in-clients.ts'
import { clientIdProblem, instantOf, isUuid, longestClientId } from '../protocol/values.ts'

/** What queries and the bodies of no thing of the catalogue hold. */

export const text = (most: number) => schemaOf(kinds.text(most))
export const code = schemaOf(kinds.code)
export const email = schemaOf(kinds.email)
export const clientId = schemaOf(kinds.clientId)
/** A client id in a query. It may be one of the service's own, which have tokens and sessions too. */
export const anyClientId = checked(
  (value) => (isBuiltIn(value) ? undefined : clientIdProblem(value)),
  longestClientId,
)
export const permission = schemaOf(kinds.permission)
export const uuid = schemaOf(kinds.uuid)
/** A moment: text in bodies, epoch milliseconds in the store. */
export const instant = schemaOf(kinds.instant)
export const day = schemaOf(kinds.day)

/** What things are searched by that have a code and a name. */
export const search = (name = 'name') =>
  text(200)
    .optional()
    .describe(
      `The beginning of a code or of any word of a ${name}, whatever its case; words end at a space or a hyphen.`,
    )

export const managedBy = text(255).optional().describe('Managed by the declared file of this name.')

const mostUuids = 100

/** Lists only these uuids, in a query. */
export const uuids = checked((value) => {
  const parts = value.split(',')
  return parts.length <= mostUuids && parts.every(isUuid)
    ? undefined
    : `is no list of at most ${mostUuids} UUIDs with commas between`
}, mostUuids * 37)
  .transform((value) => value.toLowerCase().split(','))
  .describe(`These alone: at most ${mostUuids}, with commas between.`)

/** Epoch milliseconds of a moment that was checked. */
export const millisecondsOf = (moment: string): number => instantOf(moment) ?? 0

export const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** A flag in a query is text; in a column it is 0 or 1. */
export const flag = z.enum(['true', 'false']).transform((value): Flag => (value === 'true' ? 1 : 0))

export const largestPage = 200

/** What an answer holds beside, with commas between. */
export const including = (...parts: readonly string[]) =>
  checked((value) => {
    const asked = value.split(',')
    const right = asked.every((one) => parts.includes(one)) && new Set(asked).size === asked.length
    return right ? undefined : `is no list of ${parts.join(', ')} with commas between`
  }, 100)
    .transform((value) => value.split(','))
    .optional()
    .describe(`Held beside: ${parts.map((one) => `\`${one}\``).join(', ')}.`)

const names = z
  .record(
    z.string(),
    z.object({
      kind: z.enum(['user', 'organisation', 'unit']),
      name: text(200),
      email: email.optional(),
      code: code.optional(),
    }),
  )
  .describe(
    'With `include=names`, by uuid: the people and places that the answer mentions, and that you may read.',
  )

export type Names = z.output<typeof names>

/** The parameters of every list. */
export const paging = {
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: 'It is a number.' })
    .transform(Number)
    .pipe(z.number().min(1).max(largestPage))
    .default(50)
    .describe(`How many at the most, 1 to ${largestPage}.`),
  cursor: anyText(2000).optional().describe('`next_cursor` of the page before, as it is.'),
  include: including('names'),
}

/** The body of every list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
    names: names.optional(),
  })
