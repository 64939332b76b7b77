import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { guarded, overriding, useChange } from '../api/change.ts'
import { api, type Permission, type Service, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Opening } from '../shared/dialog.tsx'
import { Field, fieldsOf, Form, Lines } from '../shared/form.tsx'
import { Shown } from '../shared/state.tsx'

interface One {
  service: Service
  permission: Permission
}

/** A permission with its tag, which the list does not bring. */
export const usePermission = (code: string) =>
  useQuery({
    queryKey: ['permission', code, 'tagged'],
    queryFn: () => withTag(api.GET('/admin/v1/permissions/{code}', { params: { path: { code } } })),
  })

export function AddPermission({ service }: { service: Service }) {
  const { service: words } = useWords()
  return (
    <Opening label={words.addPermission} title={words.addPermission}>
      {(close) => <Adding {...{ service, close }} />}
    </Opening>
  )
}

function Adding({ service: { code: of, managed_by: file }, close }: Pick<One, 'service'> & Closing) {
  const { service: words } = useWords()
  const [code, setCode] = useState(`${of}.`)
  const [description, setDescription] = useState('')
  const change = useChange(
    (body: { code: string; description: string }, { query, key }) =>
      api.POST('/admin/v1/permissions', {
        params: { query, header: { 'Idempotency-Key': key, ...overriding(file) } },
        body,
      }),
    close,
  )
  const wrong = fieldsOf(change.error)
  return (
    <Form
      sent={change}
      submit={() => change.mutate({ code: code.trim(), description })}
      label={words.addPermission}
      disabled={code.trim() === `${of}.` || code.trim() === ''}
    >
      <Overridden file={file} />
      <Field
        label={words.permission}
        description={words.permissionHow(of)}
        value={code}
        onChange={setCode}
        error={wrong['code']}
        autoComplete="off"
        data-autofocus
      />
      <Lines
        label={words.meaning}
        description={words.meaningHow}
        value={description}
        onChange={setDescription}
        error={wrong['description']}
      />
    </Form>
  )
}

interface Closing {
  close: () => void
}

export function Describe({ service, permission: { code } }: One) {
  const { service: words } = useWords()
  return (
    <Opening quiet label={words.describe} title={words.describeTitle(code)}>
      {(close) => <Described {...{ service, code, close }} />}
    </Opening>
  )
}

function Described({ service, code, close }: { service: Service; code: string } & Closing) {
  return (
    <Shown asked={usePermission(code)} rows={2}>
      {(current) => <Describing file={service.managed_by} {...current} close={close} />}
    </Shown>
  )
}

/** What somebody else made of it meanwhile is shown before it is replaced. */
function Describing({ data, tag, file, close }: Tagged<Permission> & { file: string | null } & Closing) {
  const { service: words, settings } = useWords()
  const { code } = data
  const [typed, setTyped] = useState(data.description)
  const change = useChange(
    (description: string, { query }) =>
      api.PATCH('/admin/v1/permissions/{code}', {
        params: { path: { code }, query, header: guarded(tag, file) },
        body: { description },
      }),
    close,
  )
  const error = change.isOutdated ? undefined : change.error
  return (
    <Form
      sent={{ error, isPending: change.isPending }}
      submit={() => change.mutate(typed)}
      label={settings.save}
    >
      <Overridden file={file} />
      {change.isOutdated && (
        <p className="notice warn" role="alert">
          {words.described(data.description)}
        </p>
      )}
      <Lines
        label={words.meaning}
        description={words.meaningHow}
        value={typed}
        onChange={setTyped}
        error={fieldsOf(error)['description']}
      />
    </Form>
  )
}

/** The parts of a managed service are managed, too. */
function Overridden({ file }: { file: string | null }) {
  const { change } = useWords()
  return file && <p className="notice warn">{change.override(file)}</p>
}
