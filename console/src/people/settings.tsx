import { useNavigate } from '@tanstack/react-router'
import { overriding } from '../api/change.ts'
import { api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { useMay } from '../shared/me.ts'

export function Settings({ user, tag }: { user: User; tag: string }) {
  const may = useMay()
  return <div className="settings">{may('iam.users.delete') && <Remove data={user} tag={tag} />}</div>
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
