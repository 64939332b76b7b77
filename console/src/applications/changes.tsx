import { useNavigate } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Removal, Switch } from '../shared/removal.tsx'

export function Disable({ data, tag }: Tagged<Client>) {
  const { application } = useWords()
  const { client_id: id, client_name: name, active, managed_by: file } = data
  return (
    <Switch
      words={application}
      {...{ name, active, file }}
      what={['application', id, tag]}
      ask={(body, { query }) =>
        api.PATCH('/admin/v1/clients/{client_id}', {
          params: { path: { client_id: id }, query, header: guarded(tag, file) },
          body,
        })
      }
    />
  )
}

export function Remove({ data, tag }: Tagged<Client>) {
  const { application } = useWords()
  const navigate = useNavigate()
  const { client_id: id, client_name: name, managed_by: file } = data
  return (
    <Removal
      words={application}
      {...{ name, file }}
      what={['application', id, tag]}
      done={() => navigate({ to: '/applications' })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/clients/{client_id}', {
          params: { path: { client_id: id }, query, header: guarded(tag, file) },
        })
      }
    />
  )
}
