import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useTried } from '../api/change.ts'
import { api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, type Tagged, useEdit } from '../shared/conflict.tsx'
import { Effect } from '../shared/effect.tsx'
import { fieldsOf, Form, wrongIn } from '../shared/form.tsx'
import { useMay } from '../shared/me.ts'
import { Refused } from '../shared/state.tsx'
import { guarded, Remove } from './changes.tsx'
import { Secret } from './secret.tsx'
import { type Editable, SettingsFields } from './settings-fields.tsx'

/** Tried out while one types: what is wrong stands at its field before anything is saved. */
export function Settings(current: Tagged<Upstream>) {
  const { settings: words, upstream, change: shared } = useWords()
  const may = useMay()
  const { data } = current
  const { uuid, managed_by: file } = data
  const ask = (body: Partial<Editable>, at: string, query: { dry_run?: 'true' }) =>
    api.PATCH('/admin/v1/upstreams/{uuid}', {
      params: { path: { uuid }, query, header: guarded({ data, tag: at }) },
      body,
    })
  const edit = useEdit<Editable, Upstream>(current, (changes, at, { query }) => ask(changes, at, query))
  const { conflict, change } = edit
  const [typed] = useDebouncedValue(edit.draft, 300)
  const isTried = edit.changed && conflict === undefined
  const tried = useTried(
    ['upstream settings', uuid, edit.tag, typed],
    isTried && Object.keys(typed).length > 0 ? ({ query }) => ask(typed, edit.tag, query) : undefined,
  )
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
        <SettingsFields upstream={data} edit={edit} wrong={wrongIn(fields)} />
        {edit.changed && file && <p className="notice warn">{shared.override(file)}</p>}
        {isTried && tried.error && !isWrong ? <Refused error={tried.error} /> : null}
        {isTried && <Effect of={tried.data} />}
        {isWrong && (
          <p className="wrong" role="alert">
            {words.wrong}
          </p>
        )}
        <Conflict edit={edit} target={uuid} labels={upstream.fields} />
      </Form>
      {data.kind !== 'saml' && <Secret {...current} />}
      {may('iam.upstreams.delete') && <Remove {...current} />}
    </div>
  )
}
