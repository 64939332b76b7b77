import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Line } from '../api/lines.ts'
import { useWords } from '../messages/messages.tsx'
import { csvOf } from './csv.ts'
import { save } from './download.tsx'
import { Icon } from './icons.tsx'
import type { RefusedOne, Told, useWork } from './long-work.ts'
import { useMay } from './me.ts'
import { Refused } from './state.tsx'
import './progress.css'

interface Progressing<L extends Line> {
  work: ReturnType<typeof useWork<L>>
  /** What goes on, as a noun: the name of the bar. */
  label: string
  /** How far it is; `of` undefined: nobody knows yet. */
  far: (told: Told<L>) => { done: number; of: number | undefined }
  /** The counts in words, during it and at its end. */
  counts: (told: Told<L>) => ReactNode
  /** What was refused: how one is named, and the columns and the name of the file that holds all. */
  refused: {
    name: (one: RefusedOne<L>) => ReactNode
    columns: readonly string[]
    file: string
  }
  /** Sends the same again. */
  goOn: () => void
  /** The work only tries what would be done. */
  tries?: boolean
}

/** A long work: its bar, what was refused, and how to stop it or go on. */
export function Progress<L extends Line & { detail?: string }>(progressing: Progressing<L>) {
  const { work: words } = useWords()
  const { work, label, far, counts, goOn, tries = false } = progressing
  if (work.state === 'none') return null
  if (work.state === 'refused') return <Refused error={work.error} retry={goOn} />
  const isRunning = work.state === 'running'
  return (
    <div className="work">
      {isRunning && <Bar label={label} far={work.told && far(work.told)} />}
      <div role="status">
        {!isRunning && !(tries && work.state === 'done') && <Ended {...progressing} />}
        {work.told !== undefined && <p>{counts(work.told)}</p>}
      </div>
      {isRunning && (
        <Button variant="default" onClick={work.stop}>
          {words.stop}
        </Button>
      )}
      {!['running', 'done'].includes(work.state) && <Button onClick={goOn}>{words.goOn}</Button>}
      <RefusedOnes {...progressing} />
      {!isRunning && !tries && <Records requestIds={work.requestIds} />}
    </div>
  )
}

function Bar({ label, far }: { label: string; far: { done: number; of: number | undefined } | undefined }) {
  // A bar without a value moves to and fro.
  const known = far?.of === undefined ? {} : { max: Math.max(far.of, 1), value: far.done }
  return <progress aria-label={label} {...known} />
}

function Ended<L extends Line & { detail?: string }>({ work: { state, error }, tries }: Progressing<L>) {
  const { work: words } = useWords()
  if (state === 'done') return <strong>{words.done}</strong>
  const failed = error as { detail?: string } | undefined
  const how = state === 'failed' ? failed?.detail : state === 'broken' ? words.brokenHow : words.stoppedHow
  return (
    <div className="notice warn">
      <strong>{state === 'failed' ? words.failed : state === 'broken' ? words.broken : words.stopped}</strong>
      <p>{how}</p>
      {state === 'failed' && !tries && <p>{words.failedHow}</p>}
    </div>
  )
}

/** More are in the file. */
const first = 50

function RefusedOnes<L extends Line & { detail?: string }>({
  work: { state, refused },
  refused: { name, columns, file },
  tries = false,
}: Progressing<L>) {
  const { work: words } = useWords()
  const [all, setAll] = useState(false)
  if (refused.length === 0) return null
  const shown = all ? refused : refused.slice(0, first)
  return (
    <section className="card">
      <h3>{(tries ? words.wouldRefuse : words.refused)(refused.length)}</h3>
      <ul className="refused-ones">
        {shown.map((one, index) => (
          <li key={index}>
            <strong>{name(one)}</strong> {one.detail}
          </li>
        ))}
      </ul>
      <div className="buttons">
        {shown.length < refused.length && (
          <Button variant="default" onClick={() => setAll(true)}>
            {words.showAll(refused.length)}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          disabled={state === 'running'}
          onClick={() => save(csvOf(columns, refused), file)}
        >
          {words.saveRefused}
        </Button>
      </div>
    </section>
  )
}

/** Where the audit has what was done. */
function Records({ requestIds }: { requestIds: readonly string[] }) {
  const { work: words } = useWords()
  const may = useMay()
  if (!may('iam.audit.read')) return null
  return requestIds.map((id) => (
    <p key={id}>
      <Link to="/audit" search={{ request: id }}>
        {words.records}
      </Link>
    </p>
  ))
}
