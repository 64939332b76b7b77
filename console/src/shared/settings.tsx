import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { type DryRun, type How, useTried } from '../api/change.ts'
import type { Answer } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, type Edit, type Tagged, useEdit } from './conflict.tsx'
import { Effect } from './effect.tsx'
import { fieldsOf, Form, type Wrong, wrongIn } from './form.tsx'
import { Refused } from './state.tsx'

/** The fields of one thing that others change, too: what is wrong stands at its field, what it does below them. */
export function SettingsForm<T extends object, A>({
  current,
  target,
  kind,
  ask,
  file,
  labels,
  shown,
  tries = false,
  nothing,
  children,
}: {
  current: Tagged<T>
  ask: (changes: Partial<T>, tag: string, query: How['query']) => Promise<Answer<A | DryRun>>
  /** The file that manages it, where that is not told above. */
  file?: string | null
  /** Tried out while one types: before anything is saved. */
  tries?: boolean
  /** What to say where nobody is touched by it. */
  nothing?: string
  children: (edit: Edit<T>, wrong: Wrong) => ReactNode
} & Omit<Parameters<typeof Conflict<T>>[0], 'edit'>) {
  const { settings: words, change: shared } = useWords()
  const edit = useEdit<T, A>(current, (changes, tag, { query }) => ask(changes, tag, query))
  const { change, changed, conflict } = edit
  const [typed] = useDebouncedValue(edit.draft, 300)
  const isTried = tries && changed && conflict === undefined
  const tried = useTried(
    ['settings', target, edit.tag, typed],
    isTried && Object.keys(typed).length > 0 ? ({ query }) => ask(typed, edit.tag, query) : undefined,
  )
  const fields = fieldsOf(change.error ?? tried.error)
  const isWrong = tries && Object.keys(fields).length > 0
  return (
    <Form
      sent={{ error: conflict || isWrong ? null : change.error, isPending: change.isPending }}
      submit={edit.save}
      label={words.save}
      disabled={!changed || conflict !== undefined}
      beside={
        changed && (
          <Button variant="default" onClick={edit.discard}>
            {words.discard}
          </Button>
        )
      }
    >
      {children(edit, wrongIn(fields))}
      {changed && file && <p className="notice warn">{shared.override(file)}</p>}
      {isTried && tried.error && !isWrong ? <Refused error={tried.error} /> : null}
      {isTried && <Effect of={tried.data} {...(nothing !== undefined && { nothing })} />}
      {isWrong && (
        <p className="wrong" role="alert">
          {words.wrong}
        </p>
      )}
      <Conflict
        edit={edit}
        target={target}
        {...(kind && { kind })}
        labels={labels}
        {...(shown && { shown })}
      />
    </Form>
  )
}
