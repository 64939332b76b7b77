import { guarded } from '../api/change.ts'
import { api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay } from '../shared/me.ts'
import { SettingsForm } from '../shared/settings.tsx'
import { Remove } from './changes.tsx'
import { Secret } from './secret.tsx'
import { type Editable, SettingsFields } from './settings-fields.tsx'

export function Settings(current: Tagged<Upstream>) {
  const { upstream } = useWords()
  const may = useMay()
  const { uuid, kind, managed_by: file } = current.data
  return (
    <div className="settings">
      <SettingsForm<Editable, Upstream>
        tries
        current={current}
        target={uuid}
        file={file}
        labels={upstream.fields}
        ask={(body, tag, query) =>
          api.PATCH('/admin/v1/upstreams/{uuid}', {
            params: { path: { uuid }, query, header: guarded(tag, file) },
            body,
          })
        }
      >
        {(edit, wrong) => <SettingsFields upstream={current.data} edit={edit} wrong={wrong} />}
      </SettingsForm>
      {kind !== 'saml' && <Secret {...current} />}
      {may('iam.upstreams.delete') && <Remove {...current} />}
    </div>
  )
}
