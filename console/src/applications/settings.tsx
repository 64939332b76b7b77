import { guarded } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay } from '../shared/me.ts'
import { usePlaces } from '../shared/place.ts'
import { SettingsForm } from '../shared/settings.tsx'
import { Name } from '../shared/text.tsx'
import { AllowedWords } from './allowed.tsx'
import { Remove } from './changes.tsx'
import { useLabels } from './fields.tsx'
import { RouteLines } from './route-lines.tsx'
import { SettingsFields } from './settings-fields.tsx'

export function Settings(current: Tagged<Client>) {
  const may = useMay()
  const labels = useLabels()
  const { client_id: id, managed_by: file } = current.data
  return (
    <div className="settings">
      <SettingsForm<Client, Client>
        tries
        current={current}
        target={id}
        file={file}
        labels={labels}
        shown={shown}
        ask={(body, tag, query) =>
          api.PATCH('/admin/v1/clients/{client_id}', {
            params: { path: { client_id: id }, query, header: guarded(tag, file) },
            body,
          })
        }
      >
        {(edit, wrong) => <SettingsFields edit={edit} wrong={wrong} />}
      </SettingsForm>
      {may('iam.clients.delete') && <Remove {...current} />}
    </div>
  )
}

/** An owner by name, and who may use it and what its routes demand in words. */
function shown(name: keyof Client, value: unknown) {
  if (name === 'allowed') return <AllowedWords value={value as Client['allowed']} />
  if (name === 'routes') return <RouteLines routes={value as Client['routes']} />
  if (name === 'organisation_uuid') return <Owner uuid={value as Client['organisation_uuid']} />
  return undefined
}

function Owner({ uuid }: { uuid: string | null }) {
  const { fields } = useWords()
  const place = usePlaces([{ organisation_uuid: uuid }])
  return <Name>{uuid === null ? fields.installation : place({ organisation_uuid: uuid })}</Name>
}
