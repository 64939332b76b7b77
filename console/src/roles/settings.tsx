import { useNavigate } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Field } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { Removal, Switch } from '../shared/removal.tsx'
import { SettingsForm } from '../shared/settings.tsx'
import { Choose } from './choose.tsx'

/** What a role is called and gives, and its removal. What manages it is said before anything is changed. */
export function Settings(current: Tagged<Role>) {
  const { role } = useWords()
  const may = useMay()
  const { managed_by: file } = current.data
  return (
    <>
      {file && <p className="notice warn">{role.managed(file)}</p>}
      {may('iam.roles.update') && <Edit {...current} />}
      {may('iam.roles.delete') && <Remove {...current} />}
    </>
  )
}

const change = (
  { data: { code, managed_by: file }, tag }: Tagged<Role>,
  body: Partial<Role>,
  query: { dry_run?: 'true' },
) =>
  api.PATCH('/admin/v1/roles/{code}', { params: { path: { code }, query, header: guarded(tag, file) }, body })

/** Tried out while one types: it tells who gains and loses what. */
function Edit(current: Tagged<Role>) {
  const { role, organisation } = useWords()
  const { data } = current
  return (
    <SettingsForm<Role, Role>
      tries
      current={current}
      target={data.code}
      labels={{ name: organisation.name, permissions: role.gives, active: role.state }}
      ask={(body, tag, query) => change({ data, tag }, body, query)}
    >
      {({ value, set }, wrong) => (
        <section className="card">
          <Field
            label={organisation.name}
            value={value.name}
            onChange={(name) => set({ name })}
            error={wrong('name')}
          />
          <Choose
            values={value.permissions}
            onChange={(permissions) => set({ permissions })}
            error={wrong('permissions', value.permissions)}
          />
        </section>
      )}
    </SettingsForm>
  )
}

export function Disable(current: Tagged<Role>) {
  const { role } = useWords()
  const { code, name, active, managed_by: file } = current.data
  return (
    <Switch
      words={role}
      {...{ name, active, file }}
      what={['role', code, current.tag]}
      ask={(body, { query }) => change(current, body, query)}
    />
  )
}

/** Removes it with each profile that gives it, which the dry run counts. */
function Remove({ data: { code, name, managed_by: file }, tag }: Tagged<Role>) {
  const { role } = useWords()
  const navigate = useNavigate()
  return (
    <Removal
      words={role}
      {...{ name, file }}
      what={['role', code, tag]}
      done={() => navigate({ to: '/roles' })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/roles/{code}', {
          params: { path: { code }, query, header: guarded(tag, file) },
        })
      }
    />
  )
}
