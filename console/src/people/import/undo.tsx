import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../../messages/messages.tsx'
import { Opening } from '../../shared/dialog.tsx'
import { Field } from '../../shared/form.tsx'
import { type Told, useWork } from '../../shared/long-work.ts'
import { Progress } from '../../shared/progress.tsx'
import type { Import, UndoLine } from './lines.ts'

/** Removes who never signed in, after saying how many that are; the name of the file is typed. */
export function Undo(of: Import) {
  const { importing: words } = useWords()
  return (
    <Opening label={words.undo} title={words.undoTitle(of.name)} quiet>
      {() => <Undoing {...of} />}
    </Opening>
  )
}

function Undoing({ uuid, name }: Import) {
  const { importing: words, change: shared } = useWords()
  const [typed, setTyped] = useState('')
  const look = useWork<UndoLine>()
  const run = useWork<UndoLine>()
  const path = `/imports/${uuid}/undo`
  const tried = { path, query: { dry_run: 'true' } }
  useEffect(() => look.begin(tried), [uuid])
  const told = look.told?.kind === 'done' ? look.told : undefined
  if (run.state !== 'none')
    return <Shown work={run} words={words.undone} total={told?.people} goOn={() => run.goOn({ path })} />
  return (
    <form
      noValidate
      className="import-undo"
      onSubmit={(event) => {
        event.preventDefault()
        run.begin({ path })
      }}
    >
      <p>{words.undoHow}</p>
      {told !== undefined && look.refused.length === 0 ? (
        <p role="status">{words.wouldUndo.counts(told)}</p>
      ) : (
        <Shown work={look} words={words.wouldUndo} total={undefined} goOn={() => look.goOn(tried)} />
      )}
      {told !== undefined && told.removed > 0 && (
        <>
          {told.changed > 0 && <p>{words.changed(told.changed)}</p>}
          {told.replaced > 0 && <p>{words.notBack(told.replaced)}</p>}
          <Field label={shared.typeName(name)} value={typed} onChange={setTyped} autoComplete="off" />
          <div className="buttons">
            {told.sign_in_again && <p className="soft">{words.signInAgain}</p>}
            <Button type="submit" className="danger" disabled={typed.trim() !== name.trim()}>
              {words.removeThem(told.removed)}
            </Button>
          </div>
        </>
      )}
    </form>
  )
}

function Shown({
  work,
  words: { label, counts },
  total,
  goOn,
}: {
  work: ReturnType<typeof useWork<UndoLine>>
  words: { label: string; counts: (told: Told<UndoLine>) => string }
  total: number | undefined
  goOn: () => void
}) {
  return (
    <Progress<UndoLine>
      work={work}
      label={label}
      far={({ removed, refused, signed_in }) => ({ done: removed + refused + signed_in, of: total })}
      counts={counts}
      refused={{
        name: ({ email }) => email,
        columns: ['user_uuid', 'email', 'code', 'detail'],
        file: 'refused.csv',
      }}
      goOn={goOn}
    />
  )
}
