import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { path } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Icon } from './icons.tsx'
import { TextInput } from './input.tsx'
import { useMe } from './me.ts'
import { Name } from './text.tsx'

/** What a list is narrowed to and sorted by, as its address has it. */
export type View = Readonly<Record<string, string | undefined>>

interface SavedView {
  name: string
  view: Readonly<Record<string, string>>
}

const most = 20
const longest = 60

/** Views of a list under names, kept in this browser for this person: see docs/console.md. */
export function SavedViews({ list, view }: { list: string; view: View }) {
  const { views: words } = useWords()
  const [saved, change] = useSaved(list)
  const present = valuesOf(view)
  const key = keyOf(present)
  const without = (name: string) => saved.filter((one) => one.name !== name)
  const isSaved = saved.some((one) => keyOf(one.view) === key)
  const offers = Object.keys(present).length > 0 && !isSaved
  if (saved.length === 0 && !offers) return null
  return (
    <div className="views">
      {saved.length > 0 && (
        <ul className="chips" aria-label={words.saved}>
          {saved.map((one) => (
            <li key={one.name} className="chip">
              <Link to="." search={one.view} activeOptions={{ exact: true }}>
                <Name>{one.name}</Name>
              </Link>
              <button
                type="button"
                className="quiet"
                aria-label={words.remove(one.name)}
                onClick={() => change(without(one.name))}
              >
                <Icon name="fails" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {offers && (
        <Save
          key={key}
          isFull={saved.length >= most}
          save={(name) => change([...without(name), { name, view: present }])}
        />
      )}
    </div>
  )
}

function Save({ isFull, save }: { isFull: boolean; save: (name: string) => void }) {
  const words = useWords()
  const [name, setName] = useState<string>()
  const field = useId()
  if (isFull) return <p className="soft">{words.views.full(most)}</p>
  if (name === undefined)
    return (
      <button type="button" className="quiet" onClick={() => setName('')}>
        {words.views.save}
      </button>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') save(name.trim())
  }
  return (
    <form className="line" onSubmit={submit}>
      <label htmlFor={field}>{words.views.name}</label>
      <TextInput
        id={field}
        value={name}
        maxLength={longest}
        autoFocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && setName(undefined)}
      />
      <Button type="submit" disabled={name.trim() === ''}>
        {words.views.keep}
      </Button>
    </form>
  )
}

const valuesOf = (view: View): Record<string, string> =>
  Object.fromEntries(Object.entries(view).flatMap(([name, value]) => (value ? [[name, value]] : [])))

const keyOf = (view: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(view).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** Another installation may lie below another path of this origin, and somebody else use this browser. */
function useSaved(list: string): [readonly SavedView[], (views: readonly SavedView[]) => void] {
  const { actor } = useMe()
  const key = `tessera-console-views${path} ${'user_uuid' in actor ? actor.user_uuid : ''} ${list}`
  const [saved, setSaved] = useState<readonly SavedView[]>(() => read(key))
  const change = (views: readonly SavedView[]) => {
    setSaved(views)
    if (views.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(views))
  }
  return [saved, change]
}

/** What stands there may be of another version, or somebody's own. */
function read(key: string): SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isView).slice(0, most) : []
  } catch {
    return []
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false
  const { name, view } = value as Partial<Record<keyof SavedView, unknown>>
  if (typeof name !== 'string' || typeof view !== 'object' || view === null) return false
  return Object.values(view).every((one) => typeof one === 'string')
}
