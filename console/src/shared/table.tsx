import { type ReactNode, useId, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'

interface Column<T> {
  title: string
  cell: (row: T) => ReactNode
  /** A phone shows the cell without its title. */
  plain?: boolean
  /** What is short stands in one line; a state stands beside the first column on a phone. */
  as?: 'whole' | 'state' | 'tick'
  /** The column sorts the list: how it does now, and what a press on the title does. */
  sorts?: { now: 'ascending' | 'descending' | 'none'; turn: () => void } | undefined
  /** Its title is for readers that hear the page: a column of buttons. */
  away?: boolean
  /** Stands there instead of the title, such as a tick for all rows. */
  head?: ReactNode
}

/** What a row opens to, in place. */
interface Opens<T> {
  label: (row: T) => string
  shows: (row: T) => ReactNode
}

/** Rows, cards on a phone. */
export function Table<T>({
  label,
  columns,
  rows,
  id,
  opens,
}: {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  id: (row: T) => string
  opens?: Opens<T>
}) {
  const { who } = useWords()
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, away, sorts, head }) => (
            <th key={title} scope="col" aria-sort={sorts?.now}>
              {sorts ? (
                <Sorter title={title} {...sorts} />
              ) : (
                (head ?? (away ? <span className="away">{title}</span> : title))
              )}
            </th>
          ))}
          {opens && (
            <th scope="col">
              <span className="away">{who.why}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={id(row)} {...{ row, columns, opens }} />
        ))}
      </tbody>
    </table>
  )
}

function Sorter({ title, now, turn }: { title: string } & NonNullable<Column<unknown>['sorts']>) {
  return (
    <button type="button" className="sorter" onClick={turn}>
      {title}
      <span aria-hidden="true">{now === 'ascending' ? ' ↑' : now === 'descending' ? ' ↓' : ' ↕'}</span>
    </button>
  )
}

function Row<T>({
  row,
  columns,
  opens,
}: {
  row: T
  columns: readonly Column<T>[]
  opens: Opens<T> | undefined
}) {
  const [open, setOpen] = useState(false)
  const shown = useId()
  return (
    <>
      <tr className={opens && 'opens'}>
        {columns.map(({ title, cell, plain, as }) => (
          <td key={title} className={as} data-title={plain ? undefined : title}>
            {cell(row)}
          </td>
        ))}
        {opens && (
          <td className="opener">
            <button
              type="button"
              className="quiet"
              aria-label={opens.label(row)}
              aria-expanded={open}
              aria-controls={open ? shown : undefined}
              onClick={() => setOpen(!open)}
            >
              <Icon name="below" />
            </button>
          </td>
        )}
      </tr>
      {open && opens && (
        <tr id={shown} className="opened">
          <td colSpan={columns.length + 1}>{opens.shows(row)}</td>
        </tr>
      )}
    </>
  )
}
