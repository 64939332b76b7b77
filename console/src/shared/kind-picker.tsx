import { useWords } from '../messages/messages.tsx'
import { useEvent } from './event.tsx'
import { Picker } from './picker.tsx'

/** What has a record for each action. */
const things = [
  ...['user', 'profile', 'client', 'role', 'organisation'],
  ...['unit', 'service', 'permission', 'webhook', 'upstream', 'directory', 'domain'],
]

/** All kinds of docs/audit.md, found by a word of what they mean or a part of their code. */
export function KindPicker({
  patterns = false,
  ...chosen
}: {
  label: string
  value: string | undefined
  onChange: (kind: string | undefined) => void
  error?: string | undefined
  description?: string
  /** All kinds of a thing at once, too, such as `user.*`, and everything. */
  patterns?: boolean
}) {
  const { events, actions, pick } = useWords()
  const event = useEvent()
  const named = useKinds()
  const ofThings = things.flatMap((thing) => Object.keys(actions).map((action) => `${thing}.${action}`))
  const kinds = [...new Set([...Object.keys(events), ...ofThings])]
  const groups = kinds.flatMap((kind) => (kind.includes('.') ? [`${kind.split('.')[0]}.*`] : []))
  const all = [
    ...(patterns
      ? ['*', ...new Set(groups)].map((one) => ({ value: one, label: named(one), note: one }))
      : []),
    ...kinds.map((kind) => ({ value: kind, label: event(kind), note: kind })),
  ]
  const find = async (text: string) => {
    const typed = text.toLowerCase().split(/\s+/)
    return all.filter(({ label, note }) =>
      typed.every((part) => `${label} ${note}`.toLowerCase().includes(part)),
    )
  }
  return <Picker hint={pick.event} {...chosen} find={find} />
}

/** A kind in words, or all of a thing, such as `user.*`. */
export function useKinds(): (pattern: string) => string {
  const { change, pick } = useWords()
  const event = useEvent()
  return (pattern) => {
    if (pattern === '*') return pick.everything
    if (!pattern.endsWith('.*')) return event(pattern)
    const thing = pattern.slice(0, -2)
    const names: Readonly<Record<string, readonly string[]>> = change.kinds
    return pick.allOf((Object.hasOwn(names, thing) ? names[thing]?.[1] : undefined) ?? thing)
  }
}
