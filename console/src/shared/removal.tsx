import type { Ask } from '../api/change.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm } from './dialog.tsx'

/** What is asked of a thing as it was read. */
interface Asked<T> {
  name: string
  /** The file that manages it. */
  file: string | null | undefined
  /** The thing and its version. */
  what: readonly unknown[]
  ask: Ask<T>
}

/** Removes a thing with what goes along, which the dry run lists; its name is typed where people lose access. */
export function Removal<T>({
  words,
  done,
  ...asked
}: Asked<T> & {
  words: { remove: string; removeHow: string; removeWhat: string }
  done: () => unknown
}) {
  const { change } = useWords()
  return (
    <section className="card line" aria-label={words.remove}>
      <div>
        <h2>{words.remove}</h2>
        <p className="soft">{words.removeHow}</p>
      </div>
      <Confirm
        danger
        label={words.remove}
        title={change.removeTitle(asked.name)}
        {...asked}
        what={['remove', ...asked.what]}
        done={() => void done()}
      >
        <p>{words.removeWhat}</p>
      </Confirm>
    </section>
  )
}

/** Disables a thing, or enables it again, after saying what that does. */
export function Switch<T>({
  words,
  name,
  active,
  ask,
  ...asked
}: Omit<Asked<T>, 'ask'> & {
  words: { disableWhat: string; enableWhat: string }
  active: boolean
  /** Given what the thing is to be. */
  ask: (body: { active: boolean }, how: Parameters<Ask<T>>[0]) => ReturnType<Ask<T>>
}) {
  const { change } = useWords()
  return (
    <Confirm
      danger={active}
      label={active ? change.disable : change.enable}
      title={active ? change.disableTitle(name) : change.enableTitle(name)}
      {...asked}
      what={['switch', ...asked.what]}
      ask={(how) => ask({ active: !active }, how)}
    >
      <p>{active ? words.disableWhat : words.enableWhat}</p>
    </Confirm>
  )
}
