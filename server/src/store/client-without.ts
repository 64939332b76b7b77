import type { ClientRow } from '../database/schema.ts'
import { groupsWithout } from '../protocol/client-claims.ts'
import { exchangeWithout } from '../protocol/exchange.ts'
import { textList } from './clients.ts'

/** What vanishes: codes. */
export type Vanished = Readonly<Record<'permissions' | 'services', ReadonlySet<string>>>

const columns = ['groups', 'services', 'permissions', 'acts_as', 'exchange', 'grant_types'] as const

type NamingColumns = Pick<ClientRow, (typeof columns)[number]>

/**
 * The columns of a client that name services and permissions, without those that vanish; undefined: it names none of
 * them. An empty list of permissions stays a list: its client may do no more than before.
 */
export function clientWithout(
  row: NamingColumns,
  { permissions, services }: Vanished,
): NamingColumns | undefined {
  const left = (list: string, gone: ReadonlySet<string>) =>
    JSON.stringify(textList(list).filter((one) => !gone.has(one)))
  const isGone = {
    service: (code: string) => services.has(code),
    permission: (code: string) => permissions.has(code),
  }
  const without: NamingColumns = {
    groups: groupsWithout(row.groups, isGone.service),
    services: left(row.services, services),
    permissions: row.permissions === null ? null : left(row.permissions, permissions),
    ...exchangeWithout(row, isGone),
  }
  return columns.every((name) => without[name] === row[name]) ? undefined : without
}
