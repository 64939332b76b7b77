import { useNavigate } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Removal, Switch } from '../shared/removal.tsx'

export function Disable({ data: { uuid, name, active, managed_by: file }, tag }: Tagged<Upstream>) {
  const { upstream } = useWords()
  return (
    <Switch
      words={upstream}
      {...{ name, active, file }}
      what={['upstream', uuid, tag]}
      ask={(body, { query }) =>
        api.PATCH('/admin/v1/upstreams/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
          body,
        })
      }
    />
  )
}

/** Removal takes the links along: an upstream that is made anew knows nobody. */
export function Remove({ data, tag }: Tagged<Upstream>) {
  const { upstream } = useWords()
  const navigate = useNavigate()
  const { uuid, name, managed_by: file, organisation_uuid: organisation } = data
  return (
    <Removal
      words={upstream}
      {...{ name, file }}
      what={['upstream', uuid, tag]}
      done={() => navigate({ to: '/upstreams', search: organisation === null ? {} : { organisation } })}
      ask={({ query }) =>
        api.DELETE('/admin/v1/upstreams/{uuid}', {
          params: { path: { uuid }, query, header: guarded(tag, file) },
        })
      }
    />
  )
}
