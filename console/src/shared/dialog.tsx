import { Button, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Ask, useChange, useTried } from '../api/change.ts'
import { useWords } from '../messages/messages.tsx'
import { Effect, loses } from './effect.tsx'
import { Refused } from './state.tsx'
import { Field } from './form.tsx'

export function Dialog({
  title,
  opened,
  onClose,
  size,
  children,
}: {
  title: string
  opened: boolean
  onClose: () => void
  size?: 'md' | 'lg' | 'xl'
  children: ReactNode
}) {
  const { close } = useWords()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size ?? 'md'}
      lockScroll={false}
      centered
      closeButtonProps={{ 'aria-label': close }}
    >
      {children}
    </Modal>
  )
}

interface Asked<T> {
  /** Of the button, and of the dialog's own. */
  label: string
  title: string
  ask: Ask<T>
  /** Makes the dry run another one when it changes; its first part names the thing. */
  what: readonly unknown[]
  danger?: boolean
  /** The file that manages the thing: the request must say that it overrides it. */
  file?: string | null | undefined
  /** Has to be typed where people lose access. */
  name?: string
  done?: (answer: T) => void
  children?: ReactNode
}

/** A button whose change is confirmed in a dialog, which says what it does: in words, and as tried out. */
export function Confirm<T>({ primary, ...asked }: Asked<T> & { primary?: boolean }) {
  const [opened, setOpened] = useState(false)
  const close = () => setOpened(false)
  return (
    <>
      <Button variant={primary ? 'filled' : 'default'} onClick={() => setOpened(true)}>
        {asked.label}
      </Button>
      <Dialog title={asked.title} opened={opened} onClose={close}>
        <Confirmation
          {...asked}
          close={close}
          done={(answer) => {
            close()
            asked.done?.(answer)
          }}
        />
      </Dialog>
    </>
  )
}

/** The inside of such a dialog. */
export function Confirmation<T>({
  label,
  ask,
  what,
  danger,
  file,
  name,
  done,
  close,
  children,
}: Omit<Asked<T>, 'title'> & { close: () => void }) {
  const { cancel, change: words } = useWords()
  const [typed, setTyped] = useState('')
  const tried = useTried(what, ask)
  const change = useChange((_: null, how) => ask(how), done)
  const mustType = name !== undefined && loses(tried.data)
  const error = change.error ?? tried.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(null)
      }}
    >
      {children}
      {file && <p className="notice warn">{words.override(file)}</p>}
      {tried.isPending ? <p className="soft">{words.trying}</p> : <Effect of={tried.data} />}
      {mustType && (
        <Field label={words.typeName(name)} value={typed} onChange={setTyped} autoComplete="off" />
      )}
      {change.isOutdated ? (
        <p className="notice warn">{words.outdated}</p>
      ) : (
        error && <Refused error={error} />
      )}
      <div className="buttons">
        <Button variant="default" onClick={close}>
          {cancel}
        </Button>
        <Button
          type="submit"
          className={danger ? 'danger' : 'main'}
          loading={change.isPending}
          disabled={tried.isPending || (mustType && typed.trim() !== name.trim())}
        >
          {label}
        </Button>
      </div>
    </form>
  )
}
