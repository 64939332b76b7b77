import { guarded } from '../api/change.ts'
import { api, type Directory } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Choice, Field } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { SettingsForm } from '../shared/settings.tsx'
import { type OfDirectory, RemoveDirectory } from './directory.tsx'

type Editable = Pick<Directory, 'name' | 'subject'>
const subjects = ['externalId', 'userName', 'id'] as const
const subjectOf = (text: string) => subjects.find((one) => one === text) ?? null

export function DirectorySettings(one: OfDirectory) {
  const { directory: words, upstream } = useWords()
  const { data, tag, file } = one
  const { uuid } = data
  return (
    <>
      <SettingsForm<Editable, Directory>
        current={{ data, tag }}
        target={uuid}
        file={file}
        labels={{ name: upstream.name, subject: words.subject }}
        ask={(body, at, query) =>
          api.PATCH('/admin/v1/directories/{uuid}', {
            params: { path: { uuid }, query, header: guarded(at, file) },
            body,
          })
        }
      >
        {({ value, set }, wrong) => (
          <section className="card">
            <Field
              label={upstream.name}
              value={value.name}
              onChange={(name) => set({ name })}
              error={wrong('name')}
            />
            <Choice
              label={words.subject}
              description={words.subjectHow}
              value={value.subject ?? ''}
              onChange={(chosen) => set({ subject: subjectOf(chosen) })}
              error={wrong('subject')}
              data={[
                { value: '', label: words.noSubject },
                ...subjects.map((field) => ({ value: field, label: field })),
              ]}
            />
          </section>
        )}
      </SettingsForm>
      {useMay()('iam.directories.delete') && <RemoveDirectory {...one} />}
    </>
  )
}
