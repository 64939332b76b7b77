import { Button, TextInput } from '@mantine/core'
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'
import { Empty, Refused, Waiting } from './state.tsx'

interface Page<T> {
  items: T[]
  next_cursor: string | null
}

/** The pages of a list, one after the other. */
export function usePages<T>(key: QueryKey, page: (cursor: string | undefined) => Promise<Page<T>>) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: (before) => before,
  })
}

/** What is typed is asked for when the typing pauses, and stands in the address. */
export function Search({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  hint: string
  value: string
  onChange: (text: string) => void
}) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), 200)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <TextInput
      className="search"
      type="search"
      aria-label={label}
      placeholder={hint}
      value={text}
      maxLength={200}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  )
}

/** One of a few, or all; stands in the address. */
export function Filter({
  label,
  value,
  onChange,
  of,
}: {
  label: string
  value: string | undefined
  onChange: (value: string | undefined) => void
  of: Readonly<Record<string, string>>
}) {
  const { all } = useWords()
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{all}</option>
      {Object.entries(of).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

interface Column<T> {
  title: string
  cell: (row: T) => ReactNode
  /** On a phone it stands without its title. */
  plain?: boolean
  /** Its title is for readers that hear the page: a column of buttons. */
  away?: boolean
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
          {columns.map(({ title, away }) => (
            <th key={title} scope="col">
              {away ? <span className="away">{title}</span> : title}
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
        {columns.map(({ title, cell, plain }) => (
          <td key={title} data-title={plain ? undefined : title}>
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

/** A list with its pages: waiting, refused, empty, or rows and how many there are. */
export function Pages<T>({
  pages,
  count,
  empty,
  ...table
}: {
  pages: ReturnType<typeof usePages<T>>
  count?: (shown: number, more: boolean) => string
  /** What to say, and what to do, where there is nothing. */
  empty: { title: string; how?: ReactNode; action?: ReactNode }
} & Omit<Parameters<typeof Table<T>>[0], 'rows'>) {
  const words = useWords()
  if (pages.error && !pages.data) return <Refused error={pages.error} retry={() => void pages.refetch()} />
  if (!pages.data) return <Waiting />
  const rows = pages.data.pages.flatMap(({ items }) => items)
  return (
    <>
      {count && (
        <p className="count" role="status">
          {rows.length > 0 && count(rows.length, pages.hasNextPage)}
        </p>
      )}
      {rows.length === 0 ? (
        <Empty title={empty.title} action={empty.action}>
          {empty.how}
        </Empty>
      ) : (
        <Table {...table} rows={rows} />
      )}
      {pages.hasNextPage && (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {words.more}
        </Button>
      )}
    </>
  )
}
