import { useMay } from '../shared/me.ts'
import type { Action } from './bulking.tsx'

/** What one may do to many people at once; nothing: there is nothing to select them for. */
export function useBulkActions(): Action[] {
  const may = useMay()
  const all: readonly (readonly [Action, readonly string[]])[] = [
    ['give_role', ['iam.profiles.create', 'iam.roles.read']],
    ['end_role', ['iam.profiles.delete', 'iam.profiles.read', 'iam.roles.read']],
    ['invite', ['iam.factors.delete', 'iam.users.update']],
    ['enable', ['iam.users.update']],
    ['disable', ['iam.users.update']],
  ]
  return all.filter(([, needs]) => needs.every(may)).map(([action]) => action)
}
