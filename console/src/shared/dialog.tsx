import { Button, Modal } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Ask, isOutdated, useChange, useTried } from '../api/change.ts'
import { useWords } from '../messages/messages.tsx'
import { Effect, loses } from './effect.tsx'
import { EndedInDialog } from './ended.tsx'
import { Refused } from './state.tsx'
import { Field, fieldsOf } from './form.tsx'

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
      // The dialog grows downwards: no effect moves anything under the pointer.
      yOffset="8dvh"
      closeButtonProps={{ 'aria-label': close }}
      // A page has one banner, the bar on a phone.
      attributes={{ header: { role: 'none' } }}
    >
      <EndedInDialog />
      {children}
    </Modal>
  )
}

/**
 * A button with its dialog. What is in the dialog begins anew each time that it opens. It asks one thing: when the title
 * becomes another one, since the thing was changed meanwhile, it closes.
 */
export function Opening({
  label,
  title,
  quiet,
  primary,
  danger,
  children,
}: {
  label: string
  title: string
  quiet?: boolean | undefined
  primary?: boolean | undefined
  danger?: boolean | undefined
  children: (close: () => void) => ReactNode
}) {
  const [opened, setOpened] = useState<string>()
  const open = () => setOpened(title)
  const close = () => setOpened(undefined)
  if (opened !== undefined && opened !== title) close()
  return (
    <>
      {quiet ? (
        <button type="button" className="quiet" onClick={open}>
          {label}
        </button>
      ) : (
        <Button variant={primary ? 'filled' : 'default'} className={danger ? 'danger' : ''} onClick={open}>
          {label}
        </Button>
      )}
      <Dialog title={title} opened={opened === title} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  )
}

interface DialogRequest<T> {
  /** The label of the button, and of the dialog's own. */
  label: string
  title: string
  /** Undefined: what is asked for is not complete yet. */
  ask: Ask<T> | undefined
  /** Makes the dry run another one when it changes; its first part names the thing. */
  what: readonly unknown[]
  danger?: boolean
  /** The file that manages the thing: the request must say that it overrides it. */
  file?: string | null | undefined
  /** Has to be typed where people lose access. */
  name?: string
  done?: (answer: T) => void
  /** Fields show what was refused of them. */
  children?: ReactNode | ((refused: Readonly<Record<string, string>>) => ReactNode)
}

/** A button whose change is confirmed in a dialog, which says what it does: in words, and as tried out. */
export function Confirm<T>({
  primary,
  quiet,
  title,
  ...asked
}: DialogRequest<T> & { primary?: boolean; quiet?: boolean }) {
  return (
    <Opening label={asked.label} danger={asked.danger} {...{ title, primary, quiet }}>
      {(close) => (
        <Confirmation
          {...asked}
          close={close}
          done={(answer) => {
            close()
            asked.done?.(answer)
          }}
        />
      )}
    </Opening>
  )
}

/** A name without what looks the same and can hardly be typed, such as two spaces or a joiner. */
const typable = (text: string): string =>
  text.normalize('NFKC').replaceAll(/[\s\u200c\u200d]|\p{Variation_Selector}/gu, '')

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
}: Omit<DialogRequest<T>, 'title'> & { close: () => void }) {
  const { cancel, change: words } = useWords()
  const [typed, setTyped] = useState('')
  const tried = useTried(what, ask)
  const change = useChange((_: readonly unknown[], how) => {
    if (ask === undefined) throw new Error('Nothing is asked for.')
    return ask(how)
  }, done)
  // What could not be tried out may take anything away.
  const mustType = name !== undefined && (loses(tried.data) || tried.isError)
  // A refusal is of what was asked then.
  const isThat = JSON.stringify(change.variables) === JSON.stringify(what)
  const error = (isThat ? change.error : null) ?? tried.error
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate(what)
      }}
    >
      {typeof children === 'function' ? children(fieldsOf(error)) : children}
      {file && <p className="notice warn">{words.override(file)}</p>}
      {tried.isFetching ? <p className="soft">{words.trying}</p> : <Effect of={tried.data} />}
      {mustType && (
        <Field label={words.typeName(name)} value={typed} onChange={setTyped} autoComplete="off" />
      )}
      {change.isOutdated || isOutdated(error) ? (
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
          variant="filled"
          className={danger ? 'danger' : 'main'}
          loading={change.isPending}
          disabled={tried.isPending || (mustType && typable(typed) !== typable(name))}
        >
          {label}
        </Button>
      </div>
    </form>
  )
}
