/** The fields of an application that are changed, by what they are about. */
import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Edit } from '../shared/conflict.tsx'
import { Check, Field, List, type Wrong } from '../shared/form.tsx'
import { useMe } from '../shared/me.ts'
import { OrganisationPicker } from '../shared/pickers.tsx'
import { Exchange } from './exchange.tsx'
import { Federated } from './federated.tsx'
import { AllowedFields, isUnnamed } from './allowed.tsx'
import { Ours, Permissions, Scopes, Services } from './fields.tsx'
import { Origins, ToldFields } from './proxied-fields.tsx'
import { Lifetimes } from './settings-lifetimes.tsx'
import { RouteTable } from './route-table.tsx'

export interface Editing {
  edit: Edit<Client>
  wrong: Wrong
}

export function SettingsFields(editing: Editing) {
  const { fields, settings: words } = useWords()
  const { edit, wrong } = editing
  const { value: client, set } = edit
  return (
    <>
      <section className="card">
        <h2>{words.about}</h2>
        {client.metadata !== 'document' && (
          <Field
            label={fields.name}
            value={client.client_name}
            onChange={(client_name) => set({ client_name })}
            error={wrong('client_name')}
          />
        )}
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
          error={wrong('contacts', client.contacts)}
        />
        <Owner {...editing} />
      </section>
      {client.type === 'proxied' ? <Proxied {...editing} /> : <Calling {...editing} />}
      <Lifetimes {...editing} />
    </>
  )
}

/** An application that asks by itself: where people come back to, and what it may do. */
function Calling(editing: Editing) {
  const { settings: words } = useWords()
  const { edit, wrong } = editing
  const { value: client, set } = edit
  const isMachine = client.type === 'machine'
  return (
    <>
      {!isMachine && <Addresses {...editing} />}
      {!isMachine && <Entry {...editing} />}
      <section className="card">
        <h2>{words.mayDo}</h2>
        <Services
          values={client.services}
          onChange={(services) => set({ services })}
          error={wrong('services', client.services)}
        />
        {!isMachine && (
          <Scopes scope={client.scope} onChange={(scope) => set({ scope })} error={wrong('scope')} />
        )}
        <Permissions
          machine={isMachine || client.metadata === 'document'}
          values={client.permissions}
          onChange={(permissions) => set({ permissions })}
          error={wrong('permissions', client.permissions)}
        />
      </section>
      <Federated {...editing} />
      <Exchange {...editing} />
    </>
  )
}

/** An application behind a proxy: where it is, what its routes demand, and what it is told. */
function Proxied(editing: Editing) {
  const { proxied: words } = useWords()
  const { edit, wrong } = editing
  const { value: client, set } = edit
  return (
    <>
      <section className="card">
        <h2>{words.where}</h2>
        <Origins
          values={client.origins}
          onChange={(origins) => set({ origins })}
          error={wrong('origins', client.origins)}
        />
      </section>
      <Entry {...editing} />
      <section className="card">
        <h2>{words.routes}</h2>
        <RouteTable value={client.routes ?? {}} onChange={(routes) => set({ routes })} wrong={wrong} />
      </section>
      <section className="card">
        <h2>{words.headers}</h2>
        <ToldFields value={client} set={set} wrong={wrong} />
      </section>
    </>
  )
}

/** Administrators of the whole installation alone move it. */
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
      {client.type !== 'machine' && client.metadata !== 'document' && (
        <Ours
          checked={client.first_party}
          onChange={(first_party) => set({ first_party })}
          error={wrong('first_party')}
        />
      )}
    </>
  )
}

function Addresses({ edit: { value: client, set }, wrong }: Editing) {
  const { fields, documents, settings: words } = useWords()
  const leads =
    client.metadata === 'document'
      ? (['redirect_hosts', documents.hosts, documents.hostsHow] as const)
      : (['redirect_uris', fields.redirects, fields.exactly] as const)
  const lists = [
    leads,
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
          error={wrong(name, client[name])}
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
      <Check
        label={fields.pushed}
        description={fields.pushedHow}
        checked={client.require_pushed_authorization_requests}
        onChange={(required) => set({ require_pushed_authorization_requests: required })}
        error={wrong('require_pushed_authorization_requests')}
      />
      <Check
        label={fields.bound}
        description={fields.boundHow}
        checked={client.dpop_bound_access_tokens}
        onChange={(bound) => set({ dpop_bound_access_tokens: bound })}
        error={wrong('dpop_bound_access_tokens')}
      />
    </section>
  )
}

function Entry({ edit: { value: client, set }, wrong }: Editing) {
  const { allowed: words } = useWords()
  return (
    <section className="card">
      <h2>{words.title}</h2>
      <AllowedFields
        label={words.people}
        value={client.allowed}
        removed={client.allowed_removed}
        owned={client.organisation_uuid !== null}
        onChange={(allowed) => set({ allowed })}
        error={isUnnamed(client.allowed) ? words.unnamed : undefined}
        wrong={wrong}
      />
    </section>
  )
}
