import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/client.ts'
import { Name } from '../shared/text.tsx'

export type Names = Readonly<Record<string, { name: string }>>

export const nameOf = ({ id = '', kind }: AuditRecord['actor'], names: Names): string =>
  names[id]?.name ?? (id || kind)

/** Whom or what a record is about, with the way to it. */
export function Thing({ of: thing, names }: { of: AuditRecord['target']; names: Names }) {
  if (thing === undefined) return null
  const { kind, id } = thing
  const name = <Name>{names[id]?.name ?? id}</Name>
  if (kind === 'user')
    return (
      <Link to="/people/$uuid" params={{ uuid: id }}>
        {name}
      </Link>
    )
  if (kind === 'client')
    return (
      <Link to="/applications/$id" params={{ id }}>
        {name}
      </Link>
    )
  return (
    <>
      <span className="soft">{kind}</span> {name}
    </>
  )
}
