/** Ticks of a table of roles and permissions, over what the roles give: only what differs is kept. */
import type { Role } from '../api/client.ts'
import type { Tagged } from '../shared/conflict.tsx'

/** The ticks, by role, then by permission: whether the role is to give it. */
export type Cells = Readonly<Record<string, Readonly<Record<string, boolean>>>>

const all = 'iam.*'

/** Whether a role gives it now. */
const gives = ({ permissions }: Role, code: string): boolean =>
  permissions.includes(code) || givesAll(permissions, code)

/** Whether it does by the one wildcard that there is, beside which no single one counts. */
export const givesAll = (permissions: readonly string[], code: string): boolean =>
  code.startsWith('iam.') && permissions.includes(all)

/** What a cell is to be, and what it was. */
export function cellOf({ data }: Tagged<Role>, code: string, cells: Cells) {
  const was = gives(data, code)
  const { [data.code]: own } = cells
  return { was, is: own !== undefined && Object.hasOwn(own, code) ? (own[code] ?? was) : was }
}

/** The cells with this one otherwise. */
export function ticked(cells: Cells, { data }: Tagged<Role>, code: string, is: boolean): Cells {
  const { [code]: _, ...others } = cells[data.code] ?? {}
  const own = is === gives(data, code) ? others : { ...others, [code]: is }
  const { [data.code]: _own, ...rest } = cells
  return Object.keys(own).length === 0 ? rest : { ...rest, [data.code]: own }
}

export interface RoleChange {
  role: Tagged<Role>
  permissions: string[]
}

/** The roles that are to give something else than they do, each with all that it is to give. */
export function changesOf(roles: readonly Tagged<Role>[], cells: Cells): RoleChange[] {
  return roles.flatMap((role) => {
    const wanted = Object.entries(cells[role.data.code] ?? {}).filter(
      ([code, is]) => is !== gives(role.data, code),
    )
    if (wanted.length === 0) return []
    const gone = wanted.filter(([, is]) => !is).map(([code]) => code)
    const added = wanted.filter(([, is]) => is).map(([code]) => code)
    const kept = role.data.permissions.filter((one) => !gone.includes(one))
    return [{ role, permissions: [...kept, ...added].sort() }]
  })
}
