import { type AuditedAction, thingKind } from '../protocol/audit-kinds.ts'
import { type AuditEvent, type AuditValues, changedSecret } from '../audit/record.ts'
import type { ChangeKind, Json, FileValues } from './kinds.ts'

/** One field that becomes another. What is secret is `hidden`: that it changes is all that is told. */
export type FieldChange = { field: string; before: Json; after: Json } | { field: string; hidden: true }

export interface Change {
  kind: ChangeKind
  action: 'create' | 'change' | 'remove'
  /** A code, an e-mail address or a client_id; `organisation/unit` of a unit. */
  id: string
  fields: FieldChange[]
  /** Because the file managed it and names it no more. */
  pruned?: true
}

/** What the audit is told beside a change: what it is known by there, and whom and what it is about. */
export interface About {
  /** Left out: the id of the change. */
  uuid?: string
  user_uuid?: string
  organisation_uuid?: string | null
  /** What something was that is removed. */
  was?: FileValues
}

/** The fields in which two values of a thing differ. Without a `before` it is new: what is not empty is told. */
export function fieldsBetween(before: FileValues | undefined, after: FileValues): FieldChange[] {
  return Object.entries(after).flatMap(([field, value]): FieldChange[] => {
    const old = before?.[field] ?? null
    const isEmpty = value === null || (Array.isArray(value) && value.length === 0)
    const same = before === undefined ? isEmpty : JSON.stringify(old) === JSON.stringify(value)
    return same ? [] : [{ field, before: old, after: value }]
  })
}

const actions = { create: 'created', change: 'changed', remove: 'removed' } as const satisfies Record<
  Change['action'],
  AuditedAction
>

/** One that says something else is sent anew, and one that goes is withdrawn. */
const ofInvitation = {
  create: 'invitation.created',
  change: 'invitation.resent',
  remove: 'invitation.withdrawn',
} as const

/** What the audit is told of a change, under the names that the file has for the fields. */
export function recordOf({ kind, action, id, fields }: Change, about: About): Omit<AuditEvent, 'at'> {
  const { uuid, user_uuid, organisation_uuid, was } = about
  return {
    kind: kind === 'invitation' ? ofInvitation[action] : thingKind(kind, actions[action]),
    target: { kind, id: uuid ?? id },
    user_uuid,
    organisation_uuid: organisation_uuid ?? undefined,
    ...(action === 'change' && { before: valuesOf(fields, 'before') }),
    ...(action === 'remove' && { before: was ?? {} }),
    ...(action !== 'remove' && { after: valuesOf(fields, 'after') }),
    detail: { id },
  }
}

/** A changed secret is marked among the values after the change. */
function valuesOf(fields: readonly FieldChange[], side: 'before' | 'after'): AuditValues {
  return Object.fromEntries(
    fields.flatMap((field) => {
      if ('hidden' in field) return side === 'after' ? [[field.field, changedSecret]] : []
      return [[field.field, field[side]]]
    }),
  )
}
