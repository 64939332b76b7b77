import { Button } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import type { Line } from '../api/lines.ts'
import { useWords } from '../messages/messages.tsx'
import { type Told, useWork } from './long-work.ts'
import { Progress } from './progress.tsx'

interface TriedWorking<L extends Line> {
  path: string
  /** What is sent; undefined: it is not complete yet. */
  body: object | undefined
  /** The button that does it. */
  label: string
  danger?: boolean
  /** What goes on, as a noun: while it is tried out, and while it is done. */
  names: { checking: string; working: string }
  looked: (told: Told<L>) => number
  changed: (told: Told<L>) => number
  would: (told: Told<L>) => string
  did: (told: Told<L>) => string
  refused: Parameters<typeof Progress<L>>[0]['refused']
  close: () => void
  /** What is asked for, until it is begun. */
  children?: ReactNode
}

/** A long work in a dialog: tries it out first, and shows what would be refused; then does it, and shows how it goes on. */
export function TriedWork<L extends Line & { detail?: string; sign_in_again?: boolean }>({
  path,
  body,
  label,
  danger = false,
  names,
  looked,
  changed,
  would,
  did,
  refused,
  close,
  children,
}: TriedWorking<L>) {
  const { cancel, close: closes, confirm } = useWords()
  const tried = useWork<L>()
  const work = useWork<L>()
  const asked = JSON.stringify(body)
  const { begin } = tried
  const tryOut = (body: object) => begin({ path, query: { dry_run: 'true' }, body })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is begun anew when something else is asked.
  useEffect(() => {
    if (asked !== undefined) tryOut(JSON.parse(asked) as object)
  }, [asked])
  const isBegun = work.state !== 'none'
  const last = tried.told
  const send = (how: typeof work.begin) => body && how({ path, body })
  const isTried = tried.state === 'done' || tried.state === 'stopped'
  const isNothing = tried.state === 'done' && last !== undefined && changed(last) === 0
  return (
    <>
      {!isBegun && children}
      {isBegun ? (
        <Progress<L>
          work={work}
          label={names.working}
          far={(told) => ({ done: looked(told), of: last && looked(last) })}
          counts={did}
          refused={refused}
          goOn={() => send(work.goOn)}
        />
      ) : (
        <Progress<L>
          tries
          work={tried}
          label={names.checking}
          far={(told) => ({ done: looked(told), of: undefined })}
          counts={would}
          refused={refused}
          goOn={() => body && tryOut(body)}
        />
      )}
      {!isBegun && last?.sign_in_again && <p className="soft">{confirm.before}</p>}
      <div className="buttons">
        <Button variant="default" onClick={close}>
          {isBegun ? closes : cancel}
        </Button>
        {!isBegun && (
          <Button
            className={danger ? 'danger' : 'main'}
            disabled={body === undefined || !isTried || isNothing}
            onClick={() => send(work.begin)}
          >
            {label}
          </Button>
        )}
      </div>
    </>
  )
}
