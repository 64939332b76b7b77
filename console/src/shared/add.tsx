import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type DryRun, type How, useChange } from '../api/change.ts'
import type { Answer } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { codeFrom } from './code.ts'
import { Dialog } from './dialog.tsx'
import { Field, fieldsOf, Form, type Wrong, wrongIn } from './form.tsx'

interface Named {
  name: string
  code: string
}

/** A button whose dialog asks for a name and a code. */
export function Add<T>({
  label,
  title,
  codeHow,
  ask,
  done,
  size,
  children,
}: {
  label: string
  title: string
  codeHow: string
  ask: (named: Named, how: How) => Promise<Answer<T | DryRun>>
  done: (made: T) => void
  size?: 'lg' | 'xl'
  /** What more it asks for. */
  children?: ReactNode | ((wrong: Wrong, named: Named) => ReactNode)
}) {
  const { organisation: words } = useWords()
  const [named, setNamed] = useState<Partial<Named>>()
  const { name = '', code = codeFrom(name) } = named ?? {}
  const change = useChange(ask, (made) => {
    setNamed(undefined)
    done(made)
  })
  const wrong = fieldsOf(change.error)
  const open = () => {
    change.reset()
    setNamed({})
  }
  return (
    <>
      <Button onClick={open}>{label}</Button>
      <Dialog
        title={title}
        opened={named !== undefined}
        onClose={() => setNamed(undefined)}
        {...(size && { size })}
      >
        <Form
          sent={change}
          submit={() => change.mutate({ name, code })}
          label={label}
          disabled={name.trim() === '' || code === ''}
        >
          <Field
            label={words.name}
            value={name}
            onChange={(name) => setNamed({ ...named, name })}
            error={wrong.name}
            data-autofocus
          />
          <Field
            label={words.code}
            description={codeHow}
            value={code}
            onChange={(code) => setNamed({ ...named, code })}
            error={wrong.code}
          />
          {typeof children === 'function' ? children(wrongIn(wrong), { name, code }) : children}
        </Form>
      </Dialog>
    </>
  )
}
