import { useNavigate } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type User } from '../api/client.ts'
import { useLanguage, useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Choice, Field } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { Removal } from '../shared/removal.tsx'
import { SettingsForm } from '../shared/settings.tsx'

export function Settings({ user, tag }: { user: User; tag: string }) {
  const may = useMay()
  return (
    <>
      {may('iam.users.update') && <Edit data={user} tag={tag} />}
      {may('iam.users.delete') && <Remove data={user} tag={tag} />}
    </>
  )
}

function Edit(current: Tagged<User>) {
  const { person } = useWords()
  const { uuid, managed_by: file } = current.data
  return (
    <SettingsForm<User, User>
      current={current}
      target={uuid}
      file={file}
      labels={{ name: person.name, email: person.email, locale: person.language }}
      ask={(body, tag, query) =>
        api.PATCH('/admin/v1/users/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
          body,
        })
      }
    >
      {({ value, draft, set }, wrong) => (
        <section className="card">
          <Field
            label={person.name}
            value={value.name}
            onChange={(name) => set({ name })}
            error={wrong('name')}
          />
          <Address
            value={value.email}
            isNew={'email' in draft}
            onChange={(email) => set({ email })}
            error={wrong('email')}
          />
          <Language value={value.locale} onChange={(locale) => set({ locale })} error={wrong('locale')} />
        </section>
      )}
    </SettingsForm>
  )
}

function Address({ isNew, ...field }: Omit<Parameters<typeof Field>[0], 'label'> & { isNew: boolean }) {
  const { person, edit } = useWords()
  return <Field {...field} type="email" label={person.email} description={isNew && edit.newAddress} />
}

/** Languages of pages and mails: those that there are, and the one set. */
function Language({
  value,
  onChange,
  error,
}: {
  value: string | null
  onChange: (value: string | null) => void
  error: string | undefined
}) {
  const { person, none } = useWords()
  const names = new Intl.DisplayNames([useLanguage()], { type: 'language' })
  const nameOf = (tag: string) => {
    try {
      return names.of(tag) ?? tag
    } catch {
      // People may set a tag that Intl refuses.
      return tag
    }
  }
  const all = [...new Set(['de', 'en', 'es', 'fr', 'it', 'nl', 'pl', ...(value === null ? [] : [value])])]
  return (
    <Choice
      label={person.language}
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen || null)}
      error={error}
      data={[{ value: '', label: none }, ...all.map((one) => ({ value: one, label: nameOf(one) }))]}
    />
  )
}

function Remove({ data: { uuid, name, managed_by: file }, tag }: Tagged<User>) {
  const { edit } = useWords()
  const navigate = useNavigate()
  return (
    <Removal
      words={edit}
      {...{ name, file }}
      what={['person', uuid, tag]}
      done={() => navigate({ to: '/people' })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/users/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
        })
      }
    />
  )
}
