import type { Change, FieldChange } from './change.ts'
import { type ChangeKind, changeKinds, type Json, kinds } from './kinds.ts'
import { counted, describeAccess, entryLines, provingLines, stoppedLines } from './describe-access.ts'
import { describeAdoptions, describeLosses } from './describe-adoption.ts'
import type { Plan } from './plan.ts'

/** A plan for people to read: what changes, grouped, and whose access. */
export function describePlan(plan: Plan): string {
  const [losses, adopts, left] = [
    describeLosses(plan.adopts ?? []),
    describeAdoptions(plan.adopts ?? []),
    [...unmetText(plan), ...unnamedText(plan)],
  ]
  if (plan.changes.length === 0) {
    const nothing = 'Nothing to change: everything already is as the file says.'
    const access = plan.access.users.length === 0 ? [] : [describeAccess(plan.access)]
    return [nothing, ...losses, ...access, ...adopts, ...left].join('\n\n')
  }
  const sections = changeKinds.flatMap((kind) => {
    const changes = plan.changes.filter((one) => one.kind === kind)
    return changes.length === 0 ? [] : [[titleOf(kind), ...changes.flatMap(changeLines)].join('\n')]
  })
  // What changes somebody's access comes before what is merely noted.
  const parts = [
    ...losses,
    ...sections,
    ...weakenedText(plan),
    ...provingText(plan),
    ...strengthenedText(plan),
    describeAccess(plan.access),
    ...enteringText(plan),
    ...waitingText(plan),
    ...holdsText(plan),
    ...adopts,
    ...left,
  ]
  return [summary(plan), ...parts].join('\n\n')
}

function weakenedText({ weakens = [] }: Plan): string[] {
  if (weakens.length === 0) return []
  const lines = weakens.map(({ client_id, field, detail }) => `  client ${client_id}, ${field}: ${detail}`)
  return [['Sign-ins become weaker', ...lines].join('\n')]
}

const provingText = ({ proves = [] }: Plan): string[] =>
  proves.length === 0 ? [] : [provingLines(proves).join('\n')]

function strengthenedText({ strengthens }: Plan): string[] {
  if (strengthens === undefined) return []
  const lines = [
    ...stoppedLines(strengthens),
    ...(strengthens.sign_in === undefined
      ? []
      : ['A file asks for no sign-in through it first: try it before you apply this']),
  ]
  return [['Sign-ins become stronger', ...lines.map((line) => `  ${line}`)].join('\n')]
}

function enteringText({ enters = [] }: Plan): string[] {
  const lines = entryLines(enters).map((line) => `  ${line}`)
  return lines.length === 0 ? [] : [['Who may enter changes', ...lines].join('\n')]
}

function waitingText({ waits = [] }: Plan): string[] {
  if (waits.length === 0) return []
  const lines = waits.flatMap(({ email, profile, made_by, made_at }) => [
    `  ${email} as ${profile}`,
    `      the account is by ${made_by ?? 'somebody'}${made_at === null ? '' : `, ${made_at}`}, who could not give it`,
  ])
  return [['Waits until the person uses a link that is mailed to them', ...lines].join('\n')]
}

function holdsText({ holds = [] }: Plan): string[] {
  if (holds.length === 0) return []
  const lines = holds.map(
    ({ email, holder, until }) => `  ${email}: ${holder} gave it up, and could until ${until}`,
  )
  return [['Addresses that can not be taken back any more', ...lines].join('\n')]
}

function unmetText({ unmet = [] }: Plan): string[] {
  if (unmet.length === 0) return []
  const lines = unmet.map(({ client_id, entries }) => `  client ${client_id}, ${entries.join(', ')}`)
  const title =
    'Nobody gets in by these, which were removed since; take them out of allowed, and put them in again'
  return [[title, ...lines].join('\n')]
}

function unnamedText({ unnamed = [] }: Plan): string[] {
  if (unnamed.length === 0) return []
  const lines = unnamed.map(({ kind, id }) => `  ${kind} ${id}`)
  return [['No longer in the file, and left as they are; --prune removes them', ...lines].join('\n')]
}

/** Such as `Services`. */
const titleOf = (kind: ChangeKind) => kinds[kind].table.replace(/^./, (first) => first.toUpperCase())

/** How many changes there are of each kind. */
export function summary({ changes, adopts = [] }: Plan): string {
  const count = (action: Change['action']) => changes.filter((one) => one.action === action).length
  // The words fit what would be done as well as what was.
  const parts = `${count('create')} new, ${count('change')} changed, ${count('remove')} removed`
  const adopted = adopts.length === 0 ? '' : `, ${adopts.length} adopted`
  return `${counted(changes.length, 'change')}: ${parts}${adopted}.`
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
    const [had, has] = [before.map(entryText), after.map(entryText)]
    const added = has.filter((one) => !had.includes(one)).map((one) => `+ ${one}`)
    const removed = had.filter((one) => !has.includes(one)).map((one) => `- ${one}`)
    if (added.length + removed.length > 0) return `${field}: ${[...added, ...removed].join(', ')}`
  }
  return `${field}: ${valueText(before)} -> ${valueText(after)}${meaning[field] ?? ''}`
}

/** What the change of a field means, where its name does not tell. */
const meaning: Readonly<Record<string, string>> = { deletion_at: ', so they are not removed' }

function valueText(value: Json): string {
  if (value === null) return '(none)'
  if (Array.isArray(value)) return value.length === 0 ? '(empty)' : value.map(entryText).join(', ')
  return JSON.stringify(value)
}

const entryText = (one: Json): string => (typeof one === 'string' ? one : JSON.stringify(one))
