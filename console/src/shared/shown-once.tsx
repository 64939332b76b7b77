import { Button } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Dialog } from './dialog.tsx'
import { CopyRow } from './text.tsx'

/** A secret that is shown this once: whoever leaves is asked whether it is stored. */
export function ShownOnce({
  label,
  value,
  how,
}: {
  label: string
  value: string | undefined
  /** What to do with it, where an application does not read it. */
  how?: string
}) {
  const { once } = useWords()
  if (value === undefined) return <p className="notice warn">{once.lost}</p>
  return (
    <div className="once">
      <dl>
        <CopyRow label={label} value={value} />
      </dl>
      <p className="soft">{how ?? once.only}</p>
    </div>
  )
}

/** Asks before a view with such a secret is left. */
export function useStored(shown: boolean): ReactNode {
  const { once } = useWords()
  const blocker = useBlocker({ shouldBlockFn: () => shown, enableBeforeUnload: shown, withResolver: true })
  const isBlocked = blocker.status === 'blocked'
  return (
    <Dialog title={once.stored} opened={isBlocked} onClose={() => blocker.reset?.()}>
      <Stored back={() => blocker.reset?.()} leave={() => blocker.proceed?.()} />
    </Dialog>
  )
}

function Stored({ back, leave }: { back: () => void; leave: () => void }) {
  const { once } = useWords()
  return (
    <>
      <p>{once.gone}</p>
      <div className="buttons">
        <Button variant="default" onClick={back}>
          {once.back}
        </Button>
        <Button onClick={leave}>{once.yes}</Button>
      </div>
    </>
  )
}

/** A dialog that shows such a secret, and asks when it is closed. */
export function SecretDialog({
  title,
  label,
  value,
  how,
  close,
  children,
}: {
  title: string
  label: string
  value: string | undefined
  /** What to do with it, where an application does not read it. */
  how?: string
  close: () => void
  /** What stands below, in place of the button that closes it. */
  children?: ReactNode
}) {
  const { once, secrets, close: closing } = useWords()
  const [asks, setAsks] = useState(false)
  const blocked = useStored(value !== undefined)
  return (
    <>
      <Dialog
        title={asks ? once.stored : title}
        opened
        size="lg"
        onClose={() => (asks || value === undefined ? close() : setAsks(true))}
      >
        {asks ? (
          <Stored back={() => setAsks(false)} leave={close} />
        ) : (
          <>
            <ShownOnce label={label} value={value} {...(how !== undefined && { how })} />
            {children ?? (
              <div className="buttons">
                <Button onClick={close}>{value === undefined ? closing : secrets.stored}</Button>
              </div>
            )}
          </>
        )}
      </Dialog>
      {blocked}
    </>
  )
}
