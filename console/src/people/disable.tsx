import { overriding } from '../api/change.ts'
import { api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm } from '../shared/dialog.tsx'

/** Disables somebody, or enables them again, after saying what that does. */
export function Disable({ user, tag }: { user: User; tag: string }) {
  const { person } = useWords()
  const { uuid, name, active, managed_by: file } = user
  return (
    <Confirm
      label={active ? person.disable : person.enable}
      title={active ? person.disableTitle(name) : person.enableTitle(name)}
      danger={active}
      file={file}
      what={['person', uuid, tag]}
      ask={({ query }) =>
        api.PATCH('/admin/v1/users/{uuid}', {
          params: {
            path: { uuid },
            query,
            header: { 'If-Match': tag, ...overriding(file) },
          },
          body: { active: !active },
        })
      }
    >
      <p>{active ? person.disableWhat : person.enableWhat}</p>
    </Confirm>
  )
}
