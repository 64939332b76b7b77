import { type ReactNode, useId, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'

interface Column<T> {
  title: string
  cell: (row: T) => ReactNode
  /** On a phone it stands without its title. */
  plain?: boolean
  /** What is short stands in one line; a state stands beside the first column on a phone. */
  as?: 'whole' | 'state' | 'tick'
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
          {columns.map(({ title, away, head }) => (
            <th key={title} scope="col">
              {head ?? (away ? <span className="away">{title}</span> : title)}
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
