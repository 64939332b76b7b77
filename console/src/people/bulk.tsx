import { useWords } from '../messages/messages.tsx'
import { Opening } from '../shared/dialog.tsx'
import { type Action, Bulking, type People } from './bulking.tsx'
import type { Selection } from './select.tsx'
import './bulk.css'

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
