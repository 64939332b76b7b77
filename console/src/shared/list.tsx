import { Button } from '@mantine/core'
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Download } from './download.tsx'
import { Icon } from './icons.tsx'
import { TextInput } from './input.tsx'
import { Empty, Refused, Waiting } from './state.tsx'
import { Table } from './table.tsx'

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
      icon={<Icon name="search" />}
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
      <option value="">{`${label}: ${all}`}</option>
      {Object.entries(of).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** A list with its pages: waiting, refused, empty, or rows and how many there are. */
export function Pages<T>({
  pages,
  count,
  empty,
  file,
  ...table
}: {
  pages: ReturnType<typeof usePages<T>>
  count?: (shown: number, more: boolean) => string
  /** What to say, and what to do, where there is nothing. */
  empty: { title: string; how?: ReactNode; action?: ReactNode }
  /** Where all of it can be had as a file. */
  file?: { path: string; query?: Record<string, string> }
} & Omit<Parameters<typeof Table<T>>[0], 'rows'>) {
  const words = useWords()
  if (pages.error && !pages.data) return <Refused error={pages.error} retry={() => void pages.refetch()} />
  if (!pages.data)
    return (
      <>
        {count && <p className="count" />}
        <Waiting />
      </>
    )
  const rows = pages.data.pages.flatMap(({ items }) => items)
  return (
    <>
      <div className="above">
        {count && (
          <p className="count" role="status">
            {rows.length > 0 && count(rows.length, pages.hasNextPage)}
          </p>
        )}
        {file && rows.length > 0 && <Download query={{}} {...file} formats={['csv', 'jsonl']} />}
      </div>
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
