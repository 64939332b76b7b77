/**
 * What is administered: one file for each thing, with its fields as plain data. The administration API, the interface
 * description, the declared file, the import and the command are made from these. This room does no I/O and knows no
 * request: what several fields have to do with each other stands in protocol/.
 */
import type * as z from 'zod'
import { anyText, instant, type FieldKind } from './kinds.ts'

export interface Field {
  readonly kind: FieldKind
  /** When the API can set it, and the declared file with it. Without: always. */
  readonly set?: 'at creation' | 'never'
  readonly nullable?: true
  /** What a new one has where nothing is said. A field that has none and is not nullable is needed. */
  readonly initial?: boolean | string | readonly string[]
  /** The interface description tells what is initial. */
  readonly tellsInitial?: true
  readonly description?: string
  /** The column, where it has another name. */
  readonly column?: string
}

export type Thing = Readonly<Record<string, Field>>

/** A thing as it is written here, with the types of its fields. */
export const defined = <const T extends Thing>(thing: T): T => thing

/** The mark of a declared file. */
export const managedBy = {
  kind: anyText(),
  set: 'never',
  nullable: true,
  description:
    'The declared file that manages it, which changes only when `Tessera-Managed: override` is sent.',
} as const

export const time = { kind: instant, set: 'never' } as const

/** Fields that can be set at all, and those that can be changed later. */
export type Settable<T extends Thing> = {
  [N in keyof T]: T[N] extends { set: 'never' } ? never : N
}[keyof T]
export type Changeable<T extends Thing> = {
  [N in keyof T]: T[N] extends { set: string } ? never : N
}[keyof T]
/** Fields that a new one is not made without. */
export type Needed<T extends Thing> = {
  [N in Settable<T>]: T[N] extends { nullable: true } | { initial: unknown } ? never : N
}[Settable<T>]

/** A value as bodies have it. */
export type ValueOf<F extends Field> = OfKind<F['kind']> | NullOf<F>
type NullOf<F> = F extends { nullable: true } ? null : never
export type OfKind<K extends FieldKind> = K extends { is: 'flag' | 'presence' }
  ? boolean
  : K extends { is: 'seconds' }
    ? number
    : K extends { is: 'choice'; among: readonly (infer T)[] }
      ? T
      : K extends { is: 'json'; schema: infer S extends z.ZodType }
        ? z.output<S>
        : K extends { is: 'list'; of: infer E extends FieldKind }
          ? OfKind<E>[]
          : string

/** A value as its column has it. */
type StoredOf<F extends Field> = F['kind'] extends { is: 'presence' }
  ? string | null
  : StoredKind<F['kind']> | NullOf<F>
type StoredKind<K extends FieldKind> = K extends { is: 'flag' }
  ? 0 | 1
  : K extends { is: 'instant' | 'seconds' }
    ? number
    : K extends { is: 'choice'; among: readonly (infer T)[] }
      ? T
      : K extends { is: 'list'; apart: true }
        ? readonly string[]
        : string

type ColumnName<T extends Thing, N extends keyof T> = T[N] extends { column: infer C extends string } ? C : N

/** The row of which a thing is shown. */
export type RowOf<T extends Thing> = { [N in keyof T as ColumnName<T, N>]: StoredOf<T[N]> }
/** The columns of a new one that can be set. */
export type ColumnsOf<T extends Thing> = { [N in Settable<T> as ColumnName<T, N>]: StoredOf<T[N]> }
/** The columns that a change sets. */
export type ChangesOf<T extends Thing> = { [N in Changeable<T> as ColumnName<T, N>]?: StoredOf<T[N]> }

/** A thing as it is shown. */
export type ShownOf<T extends Thing> = { [N in keyof T]: ValueOf<T[N]> }
/** What a body says of a thing. */
export type SaidOf<T extends Thing> = { [N in Settable<T>]?: ValueOf<T[N]> | undefined }
export type NewOf<T extends Thing> = SaidOf<T> & { [N in Needed<T>]: ValueOf<T[N]> }
