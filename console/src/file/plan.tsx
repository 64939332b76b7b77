import { useWords } from '../messages/messages.tsx'
import { useMe } from '../shared/me.ts'
import { Name } from '../shared/text.tsx'
import { AccessChanges } from './access.tsx'
import { OneChange, Thing } from './changes.tsx'
import type { Seen } from './file.tsx'
import { Part } from './many.tsx'
import { Since } from './since.tsx'
import { Told } from './told.tsx'

/** What applying it would do: what is lost first, then who gains and loses, then each change. */
export function PlanShown({ plan, of, before }: Seen) {
  const { file: words, change } = useWords()
  const { actor } = useMe()
  const { changes, access, adopts = [], unnamed = [] } = plan
  const of_ = (action: 'create' | 'change' | 'remove') => changes.filter((one) => one.action === action)
  const removed = of_('remove')
  const email = 'email' in actor ? actor.email : undefined
  const losesOwn = access.users.some((one) => one.email === email && one.loses.length > 0)
  return (
    <>
      {before && <Since before={before} now={plan} />}
      <p role="status" className="sum">
        {changes.length === 0
          ? words.nothing
          : words.counts(of_('create').length, of_('change').length, removed.length)}
      </p>
      {plan.at_start && <p className="notice warn">{words.atStart(of.file)}</p>}
      {losesOwn && <p className="notice bad">{words.own}</p>}
      {changes.length + adopts.length > 0 && <AccessChanges access={access} />}
      <Told {...plan} />
      <Part title={words.removed} tone="bad" of={removed} id={({ kind, id }) => `${kind} ${id}`}>
        {(one) => <OneChange {...one} />}
      </Part>
      <Part
        title={words.adopts}
        how={words.adoptsHow}
        of={inOrder(adopts)}
        id={({ kind, id }) => `${kind} ${id}`}
      >
        {({ kind, id, managed_by: file, made_by: who, keeps, loses }) => (
          <>
            <Thing {...{ kind, id }} />{' '}
            <span className="soft">
              {[who && words.madeBy(who), file && words.managedBy(file)].filter(Boolean).join(', ')}
            </span>
            <Own label={words.losesOwn} of={loses} tone="loses" />
            <Own label={words.keeps} of={keeps} tone="soft" />
          </>
        )}
      </Part>
      <Part
        title={words.changes}
        of={changes.filter(({ action }) => action !== 'remove')}
        id={({ kind, id }) => `${kind} ${id}`}
      >
        {(one) => <OneChange {...one} />}
      </Part>
      <Part title={words.unnamed} how={words.unnamedHow} of={byKind(unnamed)} id={([kind]) => kind}>
        {([kind, ids]) => (
          <>
            {change.kinds[kind]?.[ids.length === 1 ? 0 : 1] ?? words.kinds[kind] ?? kind}{' '}
            <Name>{ids.map((id) => words.kinds[id] ?? id).join(', ')}</Name>
          </>
        )}
      </Part>
    </>
  )
}

function byKind(named: readonly { kind: string; id: string }[]): [kind: string, ids: string[]][] {
  const found = new Map<string, string[]>()
  for (const { kind, id } of named) found.set(kind, [...(found.get(kind) ?? []), id])
  return [...found]
}

/** What loses something comes first. */
const inOrder = <T extends { loses: string[] }>(adopts: readonly T[]) =>
  adopts.toSorted((one, other) => Number(other.loses.length > 0) - Number(one.loses.length > 0))

function Own({ label, of, tone }: { label: string; of: readonly string[]; tone: 'loses' | 'soft' }) {
  const { file: words } = useWords()
  if (of.length === 0) return null
  return <p className={tone}>{`${label} ${of.map((one) => words.owns[one] ?? one).join(', ')}`}</p>
}
