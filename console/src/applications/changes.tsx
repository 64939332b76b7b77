import { useNavigate } from '@tanstack/react-router'
import { overriding } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'

/** The headers of a change of it as it was read. */
export const guarded = ({ data: { managed_by: file }, tag }: Tagged<Pick<Client, 'managed_by'>>) => ({
  'If-Match': tag,
  ...overriding(file),
})

/** Disables it, or enables it again, after saying what that does. */
export function Disable(thing: Tagged<Client>) {
  const { application: words } = useWords()
  const { client_id: id, client_name: name, active, managed_by: file } = thing.data
  return (
    <Confirm
      label={active ? words.disable : words.enable}
      title={active ? words.disableTitle(name) : words.enableTitle(name)}
      danger={active}
      file={file}
      what={['application', id, thing.tag]}
      ask={({ query }) =>
        api.PATCH('/admin/v1/clients/{client_id}', {
          params: { path: { client_id: id }, query, header: guarded(thing) },
          body: { active: !active },
        })
      }
    >
      <p>{active ? words.disableWhat : words.enableWhat}</p>
    </Confirm>
  )
}

export function Remove(thing: Tagged<Client>) {
  const { application: words } = useWords()
  const navigate = useNavigate()
  const { client_id: id, client_name: name, managed_by: file } = thing.data
  return (
    <section className="card line" aria-label={words.remove}>
      <div>
        <h2>{words.remove}</h2>
        <p className="soft">{words.removeHow}</p>
      </div>
      <Confirm
        label={words.remove}
        title={words.removeTitle(name)}
        danger
        file={file}
        name={name}
        what={['remove application', id, thing.tag]}
        ask={({ query }) =>
          api.DELETE('/admin/v1/clients/{client_id}', {
            params: { path: { client_id: id }, query, header: guarded(thing) },
          })
        }
        done={() => void navigate({ to: '/applications' })}
      >
        <p>{words.removeWhat}</p>
      </Confirm>
    </section>
  )
}
