import { type Change, type ChangeKind, changeKinds, type FieldChange, type Json } from './comparison.ts'
import { counted, describeAccess } from './describe-access.ts'
import type { Plan } from './plan.ts'

/** A plan for people to read: what changes, grouped, and whose access. */
export function describePlan(plan: Plan): string {
  const left = unnamedText(plan)
  if (plan.changes.length === 0) {
    return ['Nothing to change: everything already is as the file says.', ...left].join('\n\n')
  }
  const sections = changeKinds.flatMap((kind) => {
    const changes = plan.changes.filter((one) => one.kind === kind)
    return changes.length === 0 ? [] : [[titles[kind], ...changes.flatMap(changeLines)].join('\n')]
  })
  return [summary(plan.changes), ...sections, describeAccess(plan.access), ...left].join('\n\n')
}

function unnamedText({ unnamed = [] }: Plan): string[] {
  if (unnamed.length === 0) return []
  const lines = unnamed.map(({ kind, id }) => `  ${kind} ${id}`)
  return [['No longer in the file, and left as they are; --prune removes them', ...lines].join('\n')]
}

const titles: Record<ChangeKind, string> = {
  service: 'Services',
  permission: 'Permissions',
  role: 'Roles',
  organisation: 'Organisations',
  unit: 'Units',
  user: 'Users',
  profile: 'Profiles',
  client: 'Clients',
}

function summary(changes: readonly Change[]): string {
  const count = (action: Change['action']) => changes.filter((one) => one.action === action).length
  // In words that fit what would be done as well as what was.
  const parts = `${count('create')} new, ${count('change')} changed, ${count('remove')} removed`
  return `${counted(changes.length, 'change')}: ${parts}.`
}

const signs = { create: '+', change: '~', remove: '-' } as const

function changeLines(change: Change): string[] {
  const head = `  ${signs[change.action]} ${change.id}${change.pruned === true ? ' (no longer in the file)' : ''}`
  // A new user's address is the heading.
  const fields = change.fields.filter(({ field }) => !(change.action === 'create' && field === 'email'))
  return [head, ...fields.map((field) => `      ${fieldText(field, change.action)}`)]
}

function fieldText(change: FieldChange, action: Change['action']): string {
  if ('hidden' in change) return `${change.field}: ${action === 'create' ? 'set' : 'changed'}`
  const { field, before, after } = change
  if (action === 'create') return `${field}: ${valueText(after)}`
  if (Array.isArray(before) && Array.isArray(after)) {
    const added = after.filter((one: string) => !before.includes(one)).map((one: string) => `+ ${one}`)
    const removed = before.filter((one: string) => !after.includes(one)).map((one: string) => `- ${one}`)
    if (added.length + removed.length > 0) return `${field}: ${[...added, ...removed].join(', ')}`
  }
  return `${field}: ${valueText(before)} -> ${valueText(after)}`
}

function valueText(value: Json): string {
  if (value === null) return '(none)'
  if (typeof value === 'object') return value.length === 0 ? '(empty)' : value.join(', ')
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
