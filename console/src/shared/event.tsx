import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from './me.ts'
import { nameIn, type Names } from './names.ts'
import { Name } from './text.tsx'

/** A kind of record in words, such as “Signed in”; itself where it has none. */
export function useEvent(): (kind: string) => string {
  const { events, actions, change } = useWords()
  return (kind) => {
    const [thing = '', action = ''] = kind.split('.')
    const [name = ''] = own(change.kinds, thing) ?? []
    const said = own(actions, action)?.(name.charAt(0).toUpperCase() + name.slice(1))
    return own(events, kind) ?? (name === '' ? undefined : said) ?? kind
  }
}

/** Own keys alone count: a kind that another version wrote may be `constructor`. */
const own = <T,>(words: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(words, key) ? words[key] : undefined

/** What happened, as the way to the record of it, with its code beside. */
export function Event({ of: { sequence, kind } }: { of: Pick<AuditRecord, 'sequence' | 'kind'> }) {
  const event = useEvent()
  return (
    <span className="event">
      <Link to="/audit/$sequence" params={{ sequence: String(sequence) }}>
        {event(kind)}
      </Link>{' '}
      <code className="soft" translate="no">
        {kind}
      </code>
    </span>
  )
}

/** The actor: by name where one may read it, else by what they are. */
export function Actor({
  of: { actor, detail },
  names,
}: {
  of: Pick<AuditRecord, 'actor' | 'detail'>
  names: Names
}) {
  const { actors } = useWords()
  const unknown = useUnknown()
  const { kind, id = '' } = actor
  const file = detail?.['declared_file']
  const known = nameIn(names, id)
  if (known !== undefined) return <Name>{known}</Name>
  if (kind === 'user') return unknown(actor)
  if (typeof file === 'string') return actors.file(file)
  if (kind === 'command') return actors.command(id)
  if (kind === 'service' || kind === 'anonymous') return actors[kind]
  return <Name>{id || kind}</Name>
}

/** A person whose name is not told: out of reach, removed, or of people that one may not read. */
function useUnknown(): (person: Omit<AuditRecord['actor'], 'kind'>) => string {
  const { actors } = useWords()
  const { reach } = useMe()
  const may = useMay()
  return ({ id = '', profile_uuid: profile, organisation_uuid: organisation }) => {
    const isElsewhere = reach.kind !== 'installation' && organisation !== reach.organisation_uuid
    if (profile !== undefined && isElsewhere)
      return organisation === undefined ? actors.ofInstallation : actors.ofAnother
    return may('iam.users.read') ? actors.gone : id
  }
}
