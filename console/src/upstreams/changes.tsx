import { useNavigate } from '@tanstack/react-router'
import { overriding } from '../api/change.ts'
import { api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'

/** The headers of a change of it as it was read. */
export const guarded = ({ data: { managed_by: file }, tag }: Tagged<Pick<Upstream, 'managed_by'>>) => ({
  'If-Match': tag,
  ...overriding(file),
})

/** Disables it, or enables it again, after saying what that does. */
export function Disable(thing: Tagged<Upstream>) {
  const { upstream: words } = useWords()
  const { uuid, name, active, managed_by: file } = thing.data
  return (
    <Confirm
      label={active ? words.disable : words.enable}
      title={active ? words.disableTitle(name) : words.enableTitle(name)}
      danger={active}
      file={file}
      what={['upstream', uuid, thing.tag]}
      ask={({ query }) =>
        api.PATCH('/admin/v1/upstreams/{uuid}', {
          params: { path: { uuid }, query, header: guarded(thing) },
          body: { active: !active },
        })
      }
    >
      <p>{active ? words.disableWhat : words.enableWhat}</p>
    </Confirm>
  )
}

/** Removal takes the links along: an upstream that is made anew knows nobody. */
export function Remove(thing: Tagged<Upstream>) {
  const { upstream: words } = useWords()
  const navigate = useNavigate()
  const { uuid, name, managed_by: file, organisation_uuid: organisation } = thing.data
  return (
    <section className="card line" aria-label={words.remove}>
      <div>
        <h2>{words.remove}</h2>
        <p className="soft">{words.removeHow}</p>
      </div>
      <Confirm
        danger
        label={words.remove}
        title={words.removeTitle(name)}
        file={file}
        name={name}
        what={['remove upstream', uuid, thing.tag]}
        done={() =>
          void navigate({ to: '/upstreams', search: organisation === null ? {} : { organisation } })
        }
        ask={({ query }) =>
          api.DELETE('/admin/v1/upstreams/{uuid}', {
            params: { path: { uuid }, query, header: guarded(thing) },
          })
        }
      >
        <p>{words.removeWhat}</p>
      </Confirm>
    </section>
  )
}
