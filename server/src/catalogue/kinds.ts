import type * as z from 'zod'
import { domainProblem, emailProblem } from '../protocol/email-address.ts'
import { iamWildcard, isPermission } from '../protocol/permission.ts'
import { proxiedOriginProblem } from '../protocol/proxied.ts'
import { redirectUriProblem } from '../protocol/redirect-uri.ts'
import {
  audienceProblem,
  clientIdProblem,
  codeProblem,
  isUuid,
  localeProblem,
  longestClientId,
  longTextProblem,
  originProblem,
  textProblem,
  timeZoneProblem,
  type ValueProblem,
} from '../protocol/values.ts'
import { within } from './checked.ts'

/** What a field can hold. */
export type FieldKind =
  | TextKind
  | { readonly is: 'flag' }
  /** ISO 8601 text in bodies and files, epoch milliseconds in the database. */
  | { readonly is: 'instant' }
  /** `2031-01-31`; in the database empty where there is none, so that it has an order. */
  | { readonly is: 'day' }
  | { readonly is: 'seconds'; readonly most: number }
  | { readonly is: 'choice'; readonly among: readonly string[] }
  /** Scopes with spaces between. */
  | { readonly is: 'scope' }
  | ListKind
  /** Whether the column holds something, where what it holds is never shown. */
  | { readonly is: 'presence' }
  /** A value with parts, as bodies and files have it; JSON text in the database. */
  | { readonly is: 'json'; readonly schema: z.ZodType }

export interface TextKind {
  readonly is: 'text'
  readonly problem: ValueProblem
  readonly most?: number
  /** Kept in lower case. */
  readonly lower?: true
  /** The format in the interface description. */
  readonly format?: 'email' | 'uri' | 'uuid'
  readonly pattern?: string
}

/** A list in which nothing stands twice: JSON text in the database. */
export interface ListKind {
  readonly is: 'list'
  readonly of: TextKind | { readonly is: 'choice'; readonly among: readonly string[] }
  readonly most: number
  /** What is said of an empty one, where there may be none. */
  readonly emptyProblem?: string
  /** The order means nothing, and is kept the same. */
  readonly sorted?: true
  /** Kept in a table of its own, not in a column: rows come with the list itself. */
  readonly apart?: true
}

export const checkedText = <const K extends Omit<TextKind, 'is'>>(kind: K) =>
  ({ is: 'text', ...kind, problem: within(kind.problem, kind.most) }) as const

export const flag = { is: 'flag' } as const
export const instant = { is: 'instant' } as const
export const day = { is: 'day' } as const
export const scope = { is: 'scope' } as const
export const json = <const S extends z.ZodType>(schema: S) => ({ is: 'json', schema }) as const
export const presence = { is: 'presence' } as const
export const seconds = (most: number) => ({ is: 'seconds', most }) as const
export const choice = <const T extends string>(...among: readonly T[]) => ({ is: 'choice', among }) as const
export const listOf = <const K extends Omit<ListKind, 'is' | 'of'>>(of: ListKind['of'], rules: K) =>
  ({ is: 'list', of, ...rules }) as const

/** Text for people, on one line. */
export const text = (most: number) => checkedText({ problem: textProblem(most), most })
/** Text for people, on several lines. */
export const longText = (most: number) => checkedText({ problem: longTextProblem(most), most })
export const anyText = (most?: number) =>
  checkedText({ problem: () => undefined, ...(most !== undefined && { most }) })
export const code = checkedText({ problem: codeProblem, most: 60, pattern: '^[a-z0-9][a-z0-9-]*$' })
export const email = checkedText({ problem: emailProblem, most: 255, format: 'email' })
export const domainName = checkedText({ problem: domainProblem, most: 253, lower: true })
export const audience = checkedText({ problem: audienceProblem, most: 500, format: 'uri' })
export const clientId = checkedText({ problem: clientIdProblem, most: longestClientId })
export const origin = checkedText({ problem: originProblem, most: 500 })
export const proxiedOrigin = checkedText({ problem: proxiedOriginProblem, most: 500 })
export const locale = checkedText({ problem: localeProblem, most: 60 })
export const timeZone = checkedText({ problem: timeZoneProblem, most: 60 })
/** An address that people or the service are sent to: https, or http on this machine. */
export const webAddress = checkedText({
  problem: (value) => redirectUriProblem(value, 'web'),
  most: 2000,
  format: 'uri',
})
export const uuid = checkedText({
  problem: (value) => (isUuid(value) ? undefined : 'is no UUID'),
  most: 36,
  lower: true,
  format: 'uuid',
})

export const noPermission: ValueProblem = (value) =>
  isPermission(value) ? undefined : 'is no permission: <service>.<resource>.<action>'
export const permission = checkedText({ problem: noPermission, most: 200 })
export const permissionOrWildcard = checkedText({
  problem: (value) => {
    if (value === iamWildcard) return undefined
    return value.includes('*') ? `is refused: the only wildcard is "${iamWildcard}"` : noPermission(value)
  },
  most: 200,
})
