/** A form over one thing that others change, too: 412 compares, merges and asks, and never overwrites silently. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type DryRun, type How, useChange } from '../api/change.ts'
import { type Answer, answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Table } from './table.tsx'
import { useMay } from './me.ts'
import { Actor } from './event.tsx'
import { Name, Time } from './text.tsx'

/** A thing as it was read, with its ETag. */
export interface Tagged<T> {
  data: T
  tag: string
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** What is typed over a thing, which follows `current` until something is typed. */
export function useEdit<T extends object, A>(
  current: Tagged<T>,
  ask: (changes: Partial<T>, tag: string, how: How) => Promise<Answer<A | DryRun>>,
) {
  const [base, setBase] = useState(current)
  const [draft, setDraft] = useState<Partial<T>>({})
  const changed = Object.keys(draft).length > 0
  const change = useChange((sent: { changes: Partial<T>; tag: string }, how) =>
    ask(sent.changes, sent.tag, how),
  )
  // What was saved is the base of what was typed meanwhile.
  const isSaved = change.isSuccess && base.tag === change.variables.tag
  const from = changed && !isSaved ? base : current
  const rebase = (kept: Partial<T>) => {
    setBase(current)
    setDraft(without(kept, (name, value) => same(value, current.data[name])))
    change.reset()
  }
  const forget = (saved: Partial<T>) =>
    setDraft((before) => without(before, (name, value) => same(value, saved[name])))
  const save = (tag = from.tag) => change.mutate({ changes: draft, tag }, { onSuccess: () => forget(draft) })
  const value: T = { ...from.data, ...draft }
  const isOutdated = change.isOutdated && current.tag !== from.tag
  const theirs = isOutdated
    ? namesOf(current.data).filter(
        (one) => !same(from.data[one], current.data[one]) && !same(value[one], current.data[one]),
      )
    : []
  const both = theirs.filter((one) => one in draft)
  return {
    value,
    draft,
    changed,
    tag: from.tag,
    set: (changes: Partial<T>) => {
      if (!changed || isSaved) setBase(current)
      setDraft((before) => without({ ...before, ...changes }, (name, value) => same(value, from.data[name])))
    },
    discard: () => rebase({}),
    save: () => save(),
    change,
    conflict: isOutdated
      ? {
          theirs,
          both,
          current: current.data,
          saveMine: () => {
            setBase(current)
            save(current.tag)
          },
          takeTheirs: () => rebase(without(draft, (name) => both.includes(name))),
          keepEditing: () => rebase(draft),
        }
      : undefined,
  }
}

export type Edit<T extends object> = ReturnType<typeof useEdit<T, unknown>>

const namesOf = <T extends object>(thing: T) => Object.keys(thing) as (keyof T)[]

function without<T extends object>(thing: T, drops: (name: keyof T, value: T[keyof T]) => boolean): T {
  const kept = namesOf(thing).filter((name) => !drops(name, thing[name]))
  return Object.fromEntries(kept.map((name) => [name, thing[name]])) as T
}

/** What somebody else changed meanwhile: merged where one side alone did, and to be chosen where both did. */
export function Conflict<T extends object>({
  edit: { conflict, draft, change },
  target,
  kind,
  labels,
  shown,
}: {
  edit: Edit<T>
  /** The id that the audit knows it by. */
  target: string
  /** The kind of the record of a change, where other things are known by the same id. */
  kind?: string
  /** Labels of the fields told. */
  labels: { [name in keyof T]?: string }
  /** Where a value is told in another way than as it is. */
  shown?: (name: keyof T, value: unknown) => ReactNode
}) {
  const { conflict: words } = useWords()
  if (conflict === undefined) return null
  const { current, both, theirs } = conflict
  const told = (name: keyof T, value: unknown) => shown?.(name, value) ?? <Value>{value}</Value>
  const label = (name: keyof T) => labels[name] ?? ''
  const merged = theirs.filter((one) => !both.includes(one) && label(one) !== '')
  return (
    <section className="notice warn conflict" role="alert" aria-label={words.title}>
      <strong>{words.title}</strong>
      <p>
        <Who target={target} kind={kind} tag={String(current['updated_at' as keyof T] ?? '')} />
      </p>
      {both.length > 0 && (
        <Table
          label={words.both}
          rows={both}
          id={String}
          columns={[
            { title: words.field, plain: true, cell: (name) => <strong>{label(name)}</strong> },
            { title: words.yours, cell: (name) => told(name, draft[name]) },
            { title: words.theirs, cell: (name) => told(name, current[name]) },
          ]}
        />
      )}
      {both.length === 0 && <p>{words.none}</p>}
      {merged.length > 0 && <p>{words.merged(merged.map(label).join(', '))}</p>}
      <div className="buttons">
        <Button variant="default" onClick={conflict.keepEditing}>
          {words.keepEditing}
        </Button>
        {both.length > 0 && (
          <Button variant="default" onClick={conflict.takeTheirs}>
            {words.takeTheirs}
          </Button>
        )}
        <Button onClick={conflict.saveMine} loading={change.isPending}>
          {words.saveMine}
        </Button>
      </div>
    </section>
  )
}

/** Person and time, by the audit; the time alone where that may not be read. */
function Who({ target, kind, tag }: { target: string; kind: string | undefined; tag: string }) {
  const { conflict: words } = useWords()
  const may = useMay()
  const { data } = useQuery({
    queryKey: ['conflict', target, kind, tag],
    enabled: may('iam.audit.read'),
    retry: false,
    queryFn: async () => {
      const query = { target, limit: '1', include: 'names', ...(kind && { kind }) }
      const { items, names } = await answered(api.GET('/admin/v1/audit', { params: { query } }))
      const [record] = items
      return { record, names }
    },
  })
  const { record, names } = data ?? {}
  const at = record?.at ?? tag
  return (
    <>
      {record ? <Actor of={record} names={names} /> : words.somebody} {words.changed} {at && <Time at={at} />}
    </>
  )
}

/** A value of a field, a line each where there are several. */
function Value({ children: value }: { children: unknown }) {
  const { yes, no, none } = useWords()
  if (typeof value === 'boolean') return value ? yes : no
  const texts = [value].flat().filter((one) => one !== null && one !== '')
  if (texts.length === 0) return none
  return texts.map((one) => (
    <div key={String(one)}>
      <Name>{typeof one === 'object' ? JSON.stringify(one) : String(one)}</Name>
    </div>
  ))
}
