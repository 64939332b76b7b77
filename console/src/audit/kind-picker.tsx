import { useWords } from '../messages/messages.tsx'
import { useEvent } from '../shared/event.tsx'
import { Picker } from '../shared/picker.tsx'

/** What has a record for each action. */
const things = [
  ...['user', 'profile', 'client', 'role', 'organisation'],
  ...['unit', 'service', 'permission', 'webhook', 'upstream', 'directory', 'domain'],
]

/** All kinds of docs/audit.md, found by a word of what they mean or a part of their code. */
export function KindPicker(chosen: {
  label: string
  value: string | undefined
  onChange: (kind: string | undefined) => void
}) {
  const { events, actions, pick } = useWords()
  const event = useEvent()
  const ofThings = things.flatMap((thing) => Object.keys(actions).map((action) => `${thing}.${action}`))
  const all = [...new Set([...Object.keys(events), ...ofThings])].map((kind) => ({
    value: kind,
    label: event(kind),
    note: kind,
  }))
  const find = async (text: string) => {
    const typed = text.toLowerCase().split(/\s+/)
    return all.filter(({ label, note }) =>
      typed.every((part) => `${label} ${note}`.toLowerCase().includes(part)),
    )
  }
  return <Picker hint={pick.event} {...chosen} find={find} />
}
