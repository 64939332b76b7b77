import { useState } from 'react'
import type { User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'

/** The people selected: some, by their uuids, or all whom the list finds. */
type Selected = ReadonlySet<string> | 'all'

export interface Selection {
  selected: Selected
  rows: readonly User[]
  /** Whether the list has more than is shown. */
  more: boolean
  choose: (selected: Selected) => void
}

const nobody: Selected = new Set()

/** What is selected of a list. Another question begins with nobody. */
export function useSelection(asked: object, rows: readonly User[], more: boolean): Selection {
  const key = JSON.stringify(asked)
  const [kept, setKept] = useState({ key, selected: nobody })
  const selected = kept.key === key ? kept.selected : nobody
  return { selected, rows, more, choose: (selected) => setKept({ key, selected }) }
}

export const isNobody = ({ selected }: Selection) => selected !== 'all' && selected.size === 0

/** The column of ticks. */
export function useSelectColumn({ selected, rows, choose }: Selection) {
  const { bulk } = useWords()
  const isIn = (uuid: string) => selected === 'all' || selected.has(uuid)
  const every = rows.every(({ uuid }) => isIn(uuid))
  const uuids = rows.map(({ uuid }) => uuid)
  const turn = (uuid: string) => {
    const rest = new Set(selected === 'all' ? uuids : selected)
    if (!rest.delete(uuid)) rest.add(uuid)
    choose(rest)
  }
  return {
    title: bulk.select,
    plain: true,
    as: 'tick' as const,
    head: (
      <input
        type="checkbox"
        aria-label={bulk.selectPage}
        checked={every}
        ref={(tick) => {
          if (tick) tick.indeterminate = !every && rows.some(({ uuid }) => isIn(uuid))
        }}
        onChange={() => choose(every ? nobody : new Set(uuids))}
      />
    ),
    cell: ({ uuid, name }: User) => (
      <input
        type="checkbox"
        aria-label={bulk.selectOne(name)}
        checked={isIn(uuid)}
        onChange={() => turn(uuid)}
      />
    ),
  }
}
