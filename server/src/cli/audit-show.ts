import Table from 'cli-table3'
import type { AuditRecord } from '../store/audit-read.ts'
import type { Store } from '../store/open.ts'
import { emailsOf } from '../store/users.ts'

/** Records as people read them. */
export async function tableOf(store: Store, records: readonly AuditRecord[]): Promise<string> {
  const table = new Table({
    head: ['#', 'time', 'what', 'who', 'target', 'address'],
    style: { head: [], border: [] },
  })
  const people = await namesIn(store, records)
  for (const one of records) {
    table.push([
      one.sequence,
      one.at,
      one.kind,
      whoOf(one, people),
      targetOf(one, people),
      one.address ?? '–',
    ])
  }
  return table.toString()
}

/** E-mail addresses of the users that records name, by uuid; of those who are still there. */
async function namesIn(store: Store, records: readonly AuditRecord[]): Promise<Map<string, string>> {
  const ids = records.flatMap(({ actor, target, user_uuid: user }) => [
    actor.kind === 'user' ? actor.id : undefined,
    target?.kind === 'user' ? target.id : undefined,
    user,
  ])
  return await emailsOf(store, [...new Set(ids.filter((id) => id !== undefined))])
}

function whoOf({ actor: { kind, id } }: AuditRecord, people: ReadonlyMap<string, string>): string {
  if (id === undefined) return kind
  return kind === 'user' ? (people.get(id) ?? `user ${id}`) : `${kind} ${id}`
}

function targetOf({ target, user_uuid: user }: AuditRecord, people: ReadonlyMap<string, string>): string {
  if (target === undefined) return '–'
  if (target.kind === 'user') return `user ${people.get(target.id) ?? target.id}`
  const whose = user === undefined ? '' : ` of ${people.get(user) ?? user}`
  return `${target.kind} ${target.id}${whose}`
}

/** One record in one line, as `tail` prints it. */
export async function lineOf(store: Store, record: AuditRecord): Promise<string> {
  const people = await namesIn(store, [record])
  const about = record.target === undefined ? '' : `  ${targetOf(record, people)}`
  const from = record.address === undefined ? '' : `  from ${record.address}`
  return `${record.sequence}  ${record.at}  ${record.kind}  by ${whoOf(record, people)}${about}${from}`
}
