import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useTried } from '../api/change.ts'
import { api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Conflict, type Edit, type Tagged, useEdit } from '../shared/conflict.tsx'
import { Effect } from '../shared/effect.tsx'
import { Check, Field, fieldsOf, Form, List, wrongIn } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker } from '../shared/pickers.tsx'
import { usePlaces } from '../shared/place.ts'
import { Refused } from '../shared/state.tsx'
import { Name } from '../shared/text.tsx'
import { guarded, Remove } from './changes.tsx'
import { Permissions, Scopes, Services } from './fields.tsx'

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
        <SettingsFields edit={edit} wrong={(name) => wrongIn(fields, name)} />
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

/** Of the fields that are changed here. */
function useLabels(): { [name in keyof Client]?: string } {
  const { fields } = useWords()
  return {
    client_name: fields.name,
    redirect_uris: fields.redirects,
    post_logout_redirect_uris: fields.afterLogout,
    allowed_origins: fields.origins,
    backchannel_logout_uri: fields.logoutNotice,
    client_uri: fields.website,
    contacts: fields.contacts,
    services: fields.services,
    scope: fields.scope,
    permissions: fields.permissions,
    organisation_uuid: fields.owner,
    first_party: fields.firstParty,
    active: fields.active,
    access_token_lifetime: fields.tokenLife,
    refresh_idle_lifetime: fields.idleLife,
    refresh_absolute_lifetime: fields.absoluteLife,
  }
}

/** An owner by name. */
function useShown(client: Client, draft: Partial<Client>) {
  const { fields } = useWords()
  const place = usePlaces([client, { organisation_uuid: draft.organisation_uuid ?? null }])
  return (name: keyof Client, value: unknown) =>
    name === 'organisation_uuid' ? (
      <Name>{typeof value === 'string' ? place({ organisation_uuid: value }) : fields.installation}</Name>
    ) : undefined
}

interface Editing {
  edit: Edit<Client>
  wrong: (name: string) => string | undefined
}

function SettingsFields(editing: Editing) {
  const { fields, settings: words } = useWords()
  const { edit, wrong } = editing
  const { value: client, set } = edit
  const isMachine = client.type === 'machine'
  return (
    <>
      <section className="card">
        <h2>{words.about}</h2>
        <Field
          label={fields.name}
          value={client.client_name}
          onChange={(client_name) => set({ client_name })}
          error={wrong('client_name')}
        />
        <Field
          label={fields.website}
          type="url"
          value={client.client_uri ?? ''}
          onChange={(uri) => set({ client_uri: uri || null })}
          error={wrong('client_uri')}
        />
        <List
          label={fields.contacts}
          description={fields.perLine}
          rows={2}
          values={client.contacts}
          onChange={(contacts) => set({ contacts })}
          error={wrong('contacts')}
        />
        <Owner {...editing} />
      </section>
      {!isMachine && <Addresses {...editing} />}
      <section className="card">
        <h2>{words.mayDo}</h2>
        <Services
          values={client.services}
          onChange={(services) => set({ services })}
          error={wrong('services')}
        />
        {!isMachine && (
          <Scopes scope={client.scope} onChange={(scope) => set({ scope })} error={wrong('scope')} />
        )}
        <Permissions
          machine={isMachine}
          values={client.permissions}
          onChange={(permissions) => set({ permissions })}
          error={wrong('permissions')}
        />
      </section>
      <Lifetimes {...editing} />
    </>
  )
}

/** For administrators of the whole installation. */
function Owner({ edit: { value: client, set }, wrong }: Editing) {
  const { fields } = useWords()
  const { reach } = useMe()
  if (reach.kind !== 'installation') return null
  return (
    <>
      <div className="field">
        <OrganisationPicker
          label={fields.owner}
          hint={fields.installation}
          value={client.organisation_uuid ?? undefined}
          onChange={(uuid) => set({ organisation_uuid: uuid ?? null })}
          error={wrong('organisation_uuid')}
        />
      </div>
      {client.type !== 'machine' && (
        <Check
          label={fields.firstParty}
          description={fields.firstPartyHow}
          checked={client.first_party}
          onChange={(first_party) => set({ first_party })}
          error={wrong('first_party')}
        />
      )}
    </>
  )
}

function Addresses({ edit: { value: client, set }, wrong }: Editing) {
  const { fields, settings: words } = useWords()
  const lists = [
    ['redirect_uris', fields.redirects, fields.exactly],
    ['post_logout_redirect_uris', fields.afterLogout, fields.perLine],
    ['allowed_origins', fields.origins, fields.originsHow],
  ] as const
  return (
    <section className="card">
      <h2>{words.addresses}</h2>
      {lists.map(([name, label, how]) => (
        <List
          key={name}
          label={label}
          description={how}
          values={client[name]}
          onChange={(values) => set({ [name]: values })}
          error={wrong(name)}
        />
      ))}
      <Field
        label={fields.logoutNotice}
        description={fields.logoutNoticeHow}
        type="url"
        value={client.backchannel_logout_uri ?? ''}
        onChange={(uri) => set({ backchannel_logout_uri: uri || null })}
        error={wrong('backchannel_logout_uri')}
      />
    </section>
  )
}

function Lifetimes({ edit: { value: client, set }, wrong }: Editing) {
  const { fields, settings: words } = useWords()
  const all = [['access_token_lifetime', fields.tokenLife]] as const
  const ofPeople = [
    ['refresh_idle_lifetime', fields.idleLife],
    ['refresh_absolute_lifetime', fields.absoluteLife],
  ] as const
  return (
    <section className="card">
      <h2>{words.lifetimes}</h2>
      <p className="lead">{fields.secondsHow}</p>
      <div className="lifetimes">
        {[...all, ...(client.type === 'machine' ? [] : ofPeople)].map(([name, label]) => (
          <Field
            key={name}
            label={label}
            inputMode="numeric"
            value={client[name] === null ? '' : String(client[name])}
            onChange={(typed) =>
              /^\d{0,9}$/.test(typed) && set({ [name]: typed === '' ? null : Number(typed) })
            }
            error={wrong(name)}
          />
        ))}
      </div>
    </section>
  )
}
