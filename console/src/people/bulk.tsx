import { useWords } from '../messages/messages.tsx'
import { Opening } from '../shared/dialog.tsx'
import { useMay } from '../shared/me.ts'
import { type Action, Bulking, type People } from './bulking.tsx'
import { isNobody, type Selection } from './select.tsx'
import './bulk.css'

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

/** What can be done to those who are selected. */
export function BulkBar({
  selection,
  actions,
  filter: asked,
}: {
  selection: Selection
  actions: readonly Action[]
  /** What the list asks for. */
  filter: Omit<People, 'uuid' | 'all' | 'active'> & { active?: 'true' | 'false'; sort?: string }
}) {
  const { bulk } = useWords()
  const { selected, rows, more, choose } = selection
  if (isNobody(selection)) return null
  const uuids = rows.map(({ uuid }) => uuid)
  const isPage = selected !== 'all' && uuids.every((uuid) => selected.has(uuid))
  // The order of the list says nothing of who is in it.
  const { active, sort: _, ...others } = asked
  const filter = { ...others, ...(active && { active: active === 'true' }) }
  const people: People =
    selected !== 'all' ? { uuid: [...selected] } : Object.keys(filter).length === 0 ? { all: true } : filter
  return (
    <section className="bulk" aria-label={bulk.select}>
      <p role="status">{selected === 'all' ? bulk.all : bulk.selected(selected.size)}</p>
      {!isPage && selected !== 'all' && (
        <button type="button" className="quiet" onClick={() => choose(new Set(uuids))}>
          {bulk.selectPage}
        </button>
      )}
      {isPage && more && (
        <button type="button" className="quiet" onClick={() => choose('all')}>
          {bulk.selectAll}
        </button>
      )}
      <button type="button" className="quiet" onClick={() => choose(new Set())}>
        {bulk.clear}
      </button>
      <div className="acts">
        {actions.map((action) => (
          <Opening
            key={action}
            label={bulk.actions[action]}
            title={bulk.titles[action]}
            danger={action === 'disable' || action === 'end_role'}
          >
            {(close) => <Bulking {...{ action, people, close }} />}
          </Opening>
        ))}
      </div>
    </section>
  )
}
