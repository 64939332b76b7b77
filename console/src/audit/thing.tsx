import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/client.ts'
import { nameIn, type Names } from '../shared/names.ts'
import { Name } from '../shared/text.tsx'

/** Whom or what a record is about, with the way to it. */
export function Thing({ of: thing, names }: { of: AuditRecord['target']; names: Names }) {
  if (thing === undefined) return null
  const { kind, id } = thing
  const name = <Name>{nameIn(names, id) ?? id}</Name>
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
