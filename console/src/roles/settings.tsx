import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { overriding, useTried } from '../api/change.ts'
import { api, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, type Tagged, useEdit } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { Effect } from '../shared/effect.tsx'
import { Field, fieldsOf, Form, wrongIn } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { Picked } from '../shared/picked.tsx'
import { PermissionPicker } from '../shared/pickers.tsx'
import { Refused } from '../shared/state.tsx'

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

/** That this version is meant, and that it holds until the file is applied again. */
const guarded = ({ data: { managed_by: file }, tag }: Tagged<Role>) => ({
  'If-Match': tag,
  ...overriding(file),
})

const change = (current: Tagged<Role>, body: Partial<Role>, query: { dry_run?: 'true' }) =>
  api.PATCH('/admin/v1/roles/{code}', {
    params: { path: { code: current.data.code }, query, header: guarded(current) },
    body,
  })

/** Tried out while one types: it tells who gains and loses what. */
function Edit(current: Tagged<Role>) {
  const { role, settings, organisation } = useWords()
  const { data } = current
  const edit = useEdit(current, (changes, tag, { query }) => change({ data, tag }, changes, query))
  const { value, set, draft, changed, conflict } = edit
  const [typed] = useDebouncedValue(draft, 300)
  const isTried = changed && conflict === undefined
  const tried = useTried(
    ['role settings', data.code, edit.tag, typed],
    isTried && Object.keys(typed).length > 0
      ? ({ query }) => change({ data, tag: edit.tag }, typed, query)
      : undefined,
  )
  const fields = fieldsOf(edit.change.error ?? tried.error)
  const wrong = wrongIn(fields)
  const isWrong = Object.keys(fields).length > 0
  return (
    <Form
      sent={{ error: conflict || isWrong ? null : edit.change.error, isPending: edit.change.isPending }}
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
          label={organisation.name}
          value={value.name}
          onChange={(name) => set({ name })}
          error={wrong('name')}
        />
        <Picked
          label={role.gives}
          values={value.permissions}
          onChange={(permissions) => set({ permissions })}
        >
          {(add) => (
            <PermissionPicker
              label={role.gives}
              description={role.givesHow}
              value={undefined}
              onChange={add}
              error={wrong('permissions', value.permissions)}
            />
          )}
        </Picked>
      </section>
      {isTried && tried.error && !isWrong ? <Refused error={tried.error} /> : null}
      {isTried && <Effect of={tried.data} />}
      <Conflict
        edit={edit}
        target={data.code}
        labels={{ name: organisation.name, permissions: role.gives, active: role.state }}
      />
    </Form>
  )
}

/** Disables it, or enables it again. */
export function Switch(current: Tagged<Role>) {
  const { role, person } = useWords()
  const { code, name, active, managed_by: file } = current.data
  return (
    <Confirm
      danger={active}
      label={active ? person.disable : person.enable}
      title={active ? role.disableTitle(name) : role.enableTitle(name)}
      file={file}
      what={['switch role', code, current.tag]}
      ask={({ query }) => change(current, { active: !active }, query)}
    >
      <p>{active ? role.disableWhat : role.enableWhat}</p>
    </Confirm>
  )
}

/** Removes it with each profile that gives it, which the dry run counts. */
function Remove(current: Tagged<Role>) {
  const { role } = useWords()
  const navigate = useNavigate()
  const { code, name, managed_by: file } = current.data
  return (
    <section className="card line" aria-label={role.remove}>
      <div>
        <h2>{role.remove}</h2>
        <p className="soft">{role.removeHow}</p>
      </div>
      <Confirm
        danger
        label={role.remove}
        title={role.removeTitle(name)}
        file={file}
        name={name}
        what={['remove role', code, current.tag]}
        done={() => void navigate({ to: '/roles' })}
        ask={({ query }) =>
          api.DELETE('/admin/v1/roles/{code}', {
            params: { path: { code }, query, header: guarded(current) },
          })
        }
      >
        <p>{role.removeWhat}</p>
      </Confirm>
    </section>
  )
}
