/** What a request makes of the members of a group, of which there may be many thousands: only what changes is told. */
import { invalidValue, ScimError } from './errors.ts'
import type { ValueCondition, PatchOp, PatchPath } from './path.ts'
import { isList, readValue } from './values.ts'

export interface MemberChanges {
  /** Whether those from before stay, but for `removed`. */
  keeps: boolean
  added: Set<string>
  removed: Set<string>
}

export const noMemberChanges = (): MemberChanges => ({ keeps: true, added: new Set(), removed: new Set() })

export const onlyMembers = (ids: Iterable<string>): MemberChanges => ({
  keeps: false,
  added: new Set(ids),
  removed: new Set(),
})

/** The changes, after one more operation; they are changed in place, because there may be very many. */
export function membersAfter(
  before: MemberChanges,
  op: PatchOp,
  { attribute, which, part }: PatchPath,
  sent: unknown,
): MemberChanges {
  if (part !== undefined)
    throw new ScimError('mutability', 'members: a member is added or removed as a whole.')
  if (which !== undefined) {
    if (op !== 'remove')
      throw new ScimError('mutability', 'members: a member is added or removed as a whole.')
    return removing(before, chosenIds(which))
  }
  const value = readValue(attribute, sent)
  const ids = isList(value) ? value.map(memberId) : []
  if (op === 'replace') return onlyMembers(ids)
  if (op === 'remove') return sent === undefined || sent === null ? onlyMembers([]) : removing(before, ids)
  for (const id of ids) {
    before.added.add(id)
    before.removed.delete(id)
  }
  return before
}

const memberId = ({ value }: { value?: unknown }): string => {
  if (typeof value === 'string') return value
  throw invalidValue('members.value', 'it is the id of a person.')
}

function removing(changes: MemberChanges, ids: readonly string[]): MemberChanges {
  for (const id of ids) {
    changes.added.delete(id)
    changes.removed.add(id)
  }
  return changes
}

/** `members[value eq "…"]`, or several by `or`. */
function chosenIds(which: ValueCondition): string[] {
  if (which.op === 'or') return which.all.flatMap(chosenIds)
  if (which.op === 'eq' && which.attribute.name === 'value' && typeof which.value === 'string')
    return [which.value]
  throw new ScimError('invalidFilter', 'members: a path takes value eq and or.')
}
