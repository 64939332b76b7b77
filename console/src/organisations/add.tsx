import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type DryRun, type How, overriding, useChange } from '../api/change.ts'
import { type Answer, api, type Organisation, type Unit } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { codeFrom } from '../shared/code.ts'
import { Dialog } from '../shared/dialog.tsx'
import { Field, fieldsOf, Form } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import type { Place } from './change.tsx'

interface Named {
  name: string
  code: string
}

/** A button whose dialog asks for a name and a code. */
function Add<T>({
  label,
  title,
  codeHow,
  ask,
  done,
  children,
}: {
  label: string
  title: string
  codeHow: string
  ask: (named: Named, how: How) => Promise<Answer<T | DryRun>>
  done: (made: T) => void
  children?: ReactNode
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
      <Dialog title={title} opened={named !== undefined} onClose={() => setNamed(undefined)}>
        <Form
          sent={change}
          submit={() => change.mutate({ name, code })}
          label={label}
          disabled={name.trim() === '' || code === ''}
        >
          {children}
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
        </Form>
      </Dialog>
    </>
  )
}

export function AddOrganisation() {
  const { organisation: words } = useWords()
  const may = useMay()
  const navigate = useNavigate()
  if (!may('iam.organisations.create') || useMe().reach.kind !== 'installation') return null
  return (
    <Add<Organisation>
      label={words.add}
      title={words.add}
      codeHow={words.codeHow}
      ask={(body, { query, key }) =>
        api.POST('/admin/v1/organisations', { params: { query, header: { 'Idempotency-Key': key } }, body })
      }
      done={({ uuid }) => void navigate({ to: '/organisations/$uuid', params: { uuid } })}
    />
  )
}

/** A unit of an organisation, below one of its units where that is looked at. */
export function AddUnit({ at: { organisation, unit } }: { at: Place }) {
  const { organisation: words, change } = useWords()
  const navigate = useNavigate()
  const { uuid, name, managed_by: file } = organisation
  const own = useMe().reach.organisation_unit_uuid
  return (
    <Add<Unit>
      label={words.addUnit}
      title={unit === undefined ? words.addUnitIn(name) : words.addUnitBelow(unit.name)}
      codeHow={own === null ? words.codeHow : words.codeOfUnit}
      ask={(named, { query, key }) =>
        api.POST('/admin/v1/units', {
          params: { query, header: { 'Idempotency-Key': key, ...overriding(file) } },
          body: { ...named, organisation_uuid: uuid, ...(unit && { parent_uuid: unit.uuid }) },
        })
      }
      done={(made) =>
        void navigate({ to: '/organisations/$uuid/units/$unit', params: { uuid, unit: made.uuid } })
      }
    >
      {file && <p className="notice warn">{change.override(file)}</p>}
    </Add>
  )
}
