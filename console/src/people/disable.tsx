import { guarded } from '../api/change.ts'
import { api, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Switch } from '../shared/removal.tsx'

export function Disable({
  user: { uuid, name, active, managed_by: file },
  tag,
}: {
  user: User
  tag: string
}) {
  const { person } = useWords()
  return (
    <Switch
      words={person}
      {...{ name, active, file }}
      what={['person', uuid, tag]}
      ask={(body, { query }) =>
        api.PATCH('/admin/v1/users/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
          body,
        })
      }
    />
  )
}
