import type { AuditedAction } from '../protocol/audit-kinds.ts'
import { type AuditEvent, type AuditValues, changedSecret } from '../store/audit.ts'
import type { About, Change, Comparison, FieldChange } from './comparison.ts'

const actions = { create: 'created', change: 'changed', remove: 'removed' } as const satisfies Record<
  Change['action'],
  AuditedAction
>

/** What the audit is told of each thing that a file changes, under the names that the file has for its fields. */
export function recordsOf({ changes, about }: Comparison): Omit<AuditEvent, 'at'>[] {
  return changes.map((change, index) => recordOf(change, about[index] ?? {}))
}

function recordOf({ kind, action, id, fields }: Change, about: About): Omit<AuditEvent, 'at'> {
  const { uuid, userUuid, organisationUuid, was } = about
  return {
    kind: `${kind}.${actions[action]}`,
    target: { kind, id: uuid ?? id },
    userUuid,
    organisationUuid: organisationUuid ?? undefined,
    ...(action === 'change' && { before: valuesOf(fields, 'before') }),
    ...(action === 'remove' && { before: was ?? {} }),
    ...(action !== 'remove' && { after: valuesOf(fields, 'after') }),
    detail: { id },
  }
}

/** That something secret changed stands among what is there afterwards. */
function valuesOf(fields: readonly FieldChange[], side: 'before' | 'after'): AuditValues {
  return Object.fromEntries(
    fields.flatMap((field) => {
      if ('hidden' in field) return side === 'after' ? [[field.field, changedSecret]] : []
      return [[field.field, field[side]]]
    }),
  )
}
