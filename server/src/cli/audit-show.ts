import type { AuditRecord } from '../audit/read.ts'
import type { Store } from '../database/store.ts'
import { placeCodesOf } from '../store/place-codes.ts'
import { emailsOf } from '../store/users.ts'
import type { ApiObject } from './connection.ts'

export const columns = ['#', 'time', 'what', 'who', 'target', 'address']

/** Records as people read them. */
export async function itemsOf(store: Store, records: readonly AuditRecord[]): Promise<ApiObject[]> {
  const names = await namesIn(store, records)
  return records.map((one) => ({
    '#': one.sequence,
    time: one.at,
    what: one.kind,
    who: whoOf(one, names),
    target: targetOf(one, names),
    address: one.address,
  }))
}

/** The addresses and codes of users, organisations and units in these records, by uuid, where they still exist. */
async function namesIn(store: Store, records: readonly AuditRecord[]): Promise<Map<string, string>> {
  const idsOf = (kind: string) =>
    records.flatMap(({ actor, target }) =>
      [actor, target].flatMap((one) => (one?.kind === kind && one.id !== undefined ? [one.id] : [])),
    )
  const people = [...idsOf('user'), ...records.flatMap((one) => one.user_uuid ?? [])]
  const emails = await emailsOf(store, [...new Set(people)])
  const [organisations = [], units = []] = ['organisation', 'unit'].map((kind) => [...new Set(idsOf(kind))])
  return new Map([...emails, ...(await placeCodesOf(store, { organisations, units }))])
}

function whoOf({ actor: { kind, id } }: AuditRecord, names: ReadonlyMap<string, string>): string {
  if (id === undefined) return kind
  return kind === 'user' ? (names.get(id) ?? `user ${id}`) : `${kind} ${id}`
}

function targetOf({ target, user_uuid: user }: AuditRecord, names: ReadonlyMap<string, string>): string {
  if (target === undefined) return ''
  const said = `${target.kind} ${names.get(target.id) ?? target.id}`
  return target.kind === 'user' || user === undefined ? said : `${said} of ${names.get(user) ?? user}`
}

/** One record in one line, as `tail` prints it. */
export async function lineOf(store: Store, record: AuditRecord): Promise<string> {
  const names = await namesIn(store, [record])
  const about = record.target === undefined ? '' : `  ${targetOf(record, names)}`
  const from = record.address === undefined ? '' : `  from ${record.address}`
  return `${record.sequence}  ${record.at}  ${record.kind}  by ${whoOf(record, names)}${about}${from}`
}
