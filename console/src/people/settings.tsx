import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { overriding } from '../api/change.ts'
import { api, type User } from '../api/client.ts'
import { useLanguage, useWords } from '../messages/messages.tsx'
import { Conflict, type Tagged, useEdit } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { Choice, Field, fieldsOf, Form } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'

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
  const { person, settings, change: shared } = useWords()
  const { uuid, managed_by: file } = current.data
  const edit = useEdit(current, (changes, tag, { query }) =>
    api.PATCH('/admin/v1/users/{uuid}', {
      params: { path: { uuid }, query, header: { 'If-Match': tag, ...overriding(file) } },
      body: changes,
    }),
  )
  const { change, changed, conflict, value, set } = edit
  const wrong = fieldsOf(change.error)
  return (
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
          label={person.name}
          value={value.name}
          onChange={(name) => set({ name })}
          error={wrong['name']}
        />
        <Address
          value={value.email}
          isNew={'email' in edit.draft}
          onChange={(email) => set({ email })}
          error={wrong['email']}
        />
        <Language value={value.locale} onChange={(locale) => set({ locale })} error={wrong['locale']} />
      </section>
      {changed && file && <p className="notice warn">{shared.override(file)}</p>}
      <Conflict
        edit={edit}
        target={uuid}
        labels={{ name: person.name, email: person.email, locale: person.language }}
      />
    </Form>
  )
}

function Address({ isNew, ...field }: Omit<Parameters<typeof Field>[0], 'label'> & { isNew: boolean }) {
  const { person, edit } = useWords()
  return <Field {...field} type="email" label={person.email} description={isNew && edit.newAddress} />
}

/** Of the pages and mails: those that there are, and the one that stands. */
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
/** Removes somebody with what goes along, which the dry run lists. */
function Remove({ data: { uuid, name, managed_by: file }, tag }: Tagged<User>) {
  const { edit } = useWords()
  const navigate = useNavigate()
  return (
    <section className="card line" aria-label={edit.remove}>
      <div>
        <h2>{edit.remove}</h2>
        <p className="soft">{edit.removeHow}</p>
      </div>
      <Confirm
        danger
        label={edit.remove}
        title={edit.removeTitle(name)}
        file={file}
        name={name}
        what={['remove person', uuid, tag]}
        done={() => void navigate({ to: '/people' })}
        ask={({ query }) =>
          api.DELETE('/admin/v1/users/{uuid}', {
            params: { path: { uuid }, query, header: { 'If-Match': tag, ...overriding(file) } },
          })
        }
      >
        <p>{edit.removeWhat}</p>
      </Confirm>
    </section>
  )
}
