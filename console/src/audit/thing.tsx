import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { nameIn, type Names } from '../shared/names.ts'
import { Name } from '../shared/text.tsx'

/** The person or thing of a record, with the way to it: to the person whose profile or session it is. */
export function Thing({
  of: thing,
  whose,
  names,
}: {
  of: AuditRecord['target']
  whose?: string | undefined
  names: Names
}) {
  const { change } = useWords()
  if (thing === undefined) return null
  const { kind, id } = thing
  const [word = kind] = Object.hasOwn(change.kinds, kind) ? (change.kinds[kind] ?? []) : []
  const known = nameIn(names, id)
  const name = <Name>{known ?? id}</Name>
  const owner = kind === 'client' || known !== undefined ? undefined : whose
  const person = kind === 'user' ? id : owner
  if (person !== undefined)
    return (
      <>
        {kind !== 'user' && <span className="soft">{word}: </span>}
        <Link to="/people/$uuid" params={{ uuid: person }}>
          <Name>{nameIn(names, person) ?? person}</Name>
        </Link>
      </>
    )
  if (kind === 'client')
    return (
      <Link to="/applications/$id" params={{ id }}>
        {name}
      </Link>
    )
  return (
    <>
      <span className="soft">{word}:</span> {name}
    </>
  )
}
