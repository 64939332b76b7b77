/** Fields of an application, as its settings and the wizard ask for them. */
import type { Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Check } from '../shared/form.tsx'
import { Picked } from '../shared/picked.tsx'
import { PermissionPicker, ServicePicker } from '../shared/pickers.tsx'

const scopes = ['openid', 'profile', 'email', 'groups', 'offline_access', 'service.api'] as const

export const scopesOf = (scope: string): string[] => scope.split(' ').filter(Boolean)

/** What an application that acts for people may ask for; openid is what a sign-in is. */
export function Scopes({
  scope,
  onChange,
  error,
  only = scopes,
}: {
  scope: string
  /** Scopes that there are to choose. */
  only?: readonly string[]
  onChange: (scope: string) => void
  error?: string | undefined
}) {
  const { fields } = useWords()
  const chosen = scopesOf(scope)
  const set = (name: string, on: boolean) =>
    onChange(scopes.filter((one) => (one === name ? on : chosen.includes(one))).join(' '))
  return (
    <fieldset className="field checks">
      <legend>{fields.scope}</legend>
      {scopes
        .filter((name) => only.includes(name))
        .map((name) => (
          <Check
            key={name}
            label={<code translate="no">{name}</code>}
            description={fields.scopes[name]}
            checked={chosen.includes(name)}
            disabled={name === 'openid' && chosen.includes(name)}
            onChange={(on) => set(name, on)}
          />
        ))}
      {error && <p className="wrong">{error}</p>}
    </fieldset>
  )
}

/** Applications of others ask each person for consent, which is the API's default. */
export function Ours(asked: {
  checked: boolean
  onChange: (checked: boolean) => void
  error?: string | undefined
}) {
  const { fields } = useWords()
  return <Check label={fields.firstParty} description={fields.firstPartyHow} {...asked} />
}

/** Labels of the fields that the console sets. */
export function useLabels(): { [name in keyof Client]?: string } {
  const { fields, wizard, allowed, documents, proxied, issuers } = useWords()
  return {
    client_id: wizard.id,
    client_name: fields.name,
    redirect_uris: fields.redirects,
    redirect_hosts: documents.hosts,
    post_logout_redirect_uris: fields.afterLogout,
    allowed_origins: fields.origins,
    backchannel_logout_uri: fields.logoutNotice,
    require_pushed_authorization_requests: fields.pushed,
    dpop_bound_access_tokens: fields.bound,
    client_uri: fields.website,
    contacts: fields.contacts,
    services: fields.services,
    scope: fields.scope,
    permissions: fields.permissions,
    federated: issuers.proof,
    organisation_uuid: fields.owner,
    allowed: allowed.title,
    origins: proxied.origins,
    routes: proxied.routes,
    headers: proxied.headers,
    remote_user: proxied.remoteUser,
    first_party: fields.firstParty,
    active: fields.active,
    access_token_lifetime: fields.tokenLife,
    refresh_idle_lifetime: fields.idleLife,
    refresh_absolute_lifetime: fields.absoluteLife,
  }
}

interface Codes {
  values: readonly string[]
  onChange: (values: string[]) => void
  error?: string | undefined
}

export function Services({ values, onChange, error }: Codes) {
  const { fields } = useWords()
  return (
    <Picked label={fields.services} values={values} onChange={onChange}>
      {(add) => <ServicePicker label={fields.services} value={undefined} onChange={add} error={error} />}
    </Picked>
  )
}

/** A machine always has a list; people's applications may do all that the role gives without one. */
export function Permissions({
  values,
  onChange,
  error,
  machine,
}: {
  values: readonly string[] | null
  onChange: (values: string[] | null) => void
  error?: string | undefined
  machine: boolean
}) {
  const { fields } = useWords()
  return (
    <div className="field">
      {!machine && (
        <Check
          label={fields.limit}
          description={fields.limitHow}
          checked={values !== null}
          onChange={(on) => onChange(on ? [] : null)}
        />
      )}
      {values !== null && (
        <Picked label={fields.permissions} values={values} onChange={onChange}>
          {(add) => (
            <PermissionPicker label={fields.permissions} value={undefined} onChange={add} error={error} />
          )}
        </Picked>
      )}
      {values === null && error && <p className="wrong">{error}</p>}
    </div>
  )
}
