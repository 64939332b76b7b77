import { Button } from '@mantine/core'
import { overriding } from '../api/change.ts'
import { api, type Directory } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, useEdit } from '../shared/conflict.tsx'
import { Choice, Field, fieldsOf, Form } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { type OfDirectory, RemoveDirectory } from './directory.tsx'

type Editable = Pick<Directory, 'name' | 'subject'>
const subjects = ['externalId', 'userName', 'id'] as const
const subjectOf = (text: string) => subjects.find((one) => one === text) ?? null

export function DirectorySettings(one: OfDirectory) {
  const { directory: words, upstream, settings, change: shared } = useWords()
  const { data, tag, file } = one
  const { uuid } = data
  const edit = useEdit<Editable, Directory>({ data, tag }, (body, at, { query }) =>
    api.PATCH('/admin/v1/directories/{uuid}', {
      params: { path: { uuid }, query, header: { 'If-Match': at, ...overriding(file) } },
      body,
    }),
  )
  const { change, changed, conflict, value, set } = edit
  const wrong = fieldsOf(change.error)
  return (
    <>
      <Form
        sent={{ error: conflict ? null : change.error, isPending: change.isPending }}
        submit={edit.save}
        label={settings.save}
        disabled={!changed || conflict !== undefined}
        beside={
          changed && (
            <Button variant="default" onClick={edit.discard}>
              {settings.discard}
            </Button>
          )
        }
      >
        <section className="card">
          <Field
            label={upstream.name}
            value={value.name}
            onChange={(typed) => set({ name: typed })}
            error={wrong['name']}
          />
          <Choice
            label={words.subject}
            description={words.subjectHow}
            value={value.subject ?? ''}
            onChange={(chosen) => set({ subject: subjectOf(chosen) })}
            error={wrong['subject']}
            data={[
              { value: '', label: words.noSubject },
              ...subjects.map((field) => ({ value: field, label: field })),
            ]}
          />
        </section>
        {changed && file && <p className="notice warn">{shared.override(file)}</p>}
        <Conflict edit={edit} target={uuid} labels={{ name: upstream.name, subject: words.subject }} />
      </Form>
      {useMay()('iam.directories.delete') && <RemoveDirectory {...one} />}
    </>
  )
}
