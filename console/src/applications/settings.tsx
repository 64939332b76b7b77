import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useTried } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, type Tagged, useEdit } from '../shared/conflict.tsx'
import { Effect } from '../shared/effect.tsx'
import { fieldsOf, Form, wrongIn } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { usePlaces } from '../shared/place.ts'
import { Refused } from '../shared/state.tsx'
import { Name } from '../shared/text.tsx'
import { AllowedWords } from './allowed.tsx'
import { guarded, Remove } from './changes.tsx'
import { useLabels } from './fields.tsx'
import { RouteLines } from './route-lines.tsx'
import { SettingsFields } from './settings-fields.tsx'

/** Tried out while one types: what is wrong stands at its field before anything is saved. */
export function Settings(current: Tagged<Client>) {
  const { settings: words, change: shared } = useWords()
  const may = useMay()
  const labels = useLabels()
  const { client_id: id, managed_by: file } = current.data
  const ask = (changes: Partial<Client>, tag: string, query: { dry_run?: 'true' }) =>
    api.PATCH('/admin/v1/clients/{client_id}', {
      params: { path: { client_id: id }, query, header: guarded({ data: current.data, tag }) },
      body: changes,
    })
  const edit = useEdit(current, (changes, tag, { query }) => ask(changes, tag, query))
  const [typed] = useDebouncedValue(edit.draft, 300)
  const isTried = edit.changed && edit.conflict === undefined
  const tried = useTried(
    ['settings', id, edit.tag, typed],
    isTried && Object.keys(typed).length > 0 ? ({ query }) => ask(typed, edit.tag, query) : undefined,
  )
  const { conflict, change } = edit
  const fields = fieldsOf(change.error ?? tried.error)
  const isWrong = Object.keys(fields).length > 0
  return (
    <div className="settings">
      <Form
        sent={{ error: conflict || isWrong ? null : change.error, isPending: change.isPending }}
        submit={edit.save}
        label={words.save}
        disabled={!edit.changed || conflict !== undefined}
        beside={
          edit.changed && (
            <Button variant="default" onClick={edit.discard}>
              {words.discard}
            </Button>
          )
        }
      >
        <SettingsFields edit={edit} wrong={wrongIn(fields)} />
        {edit.changed && file && <p className="notice warn">{shared.override(file)}</p>}
        {isTried && tried.error && !isWrong ? <Refused error={tried.error} /> : null}
        {isTried && <Effect of={tried.data} />}
        {isWrong && (
          <p className="wrong" role="alert">
            {words.wrong}
          </p>
        )}
        <Conflict edit={edit} target={id} labels={labels} shown={useShown(current.data, edit.draft)} />
      </Form>
      {may('iam.clients.delete') && <Remove {...current} />}
    </div>
  )
}

/** An owner by name, and who may use it and what its routes demand in words. */
function useShown(client: Client, draft: Partial<Client>) {
  const { fields } = useWords()
  const place = usePlaces([client, { organisation_uuid: draft.organisation_uuid ?? null }])
  return (name: keyof Client, value: unknown) => {
    if (name === 'allowed')
      return <AllowedWords value={value === client.allowed ? client.allowed : (draft.allowed ?? null)} />
    if (name === 'routes') return <RouteLines routes={value as Client['routes']} />
    if (name !== 'organisation_uuid') return undefined
    return (
      <Name>{typeof value === 'string' ? place({ organisation_uuid: value }) : fields.installation}</Name>
    )
  }
}
