/** The fields of an upstream that are changed, by what they are about. */
import { useState } from 'react'
import type { Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Edit } from '../shared/conflict.tsx'
import { Check, Choice, Field, Lines, List, type Wrong } from '../shared/form.tsx'
import { useMe } from '../shared/me.ts'
import { Until } from '../shared/until.tsx'

/** What never changes is left out: another issuer is another upstream. */
export type Editable = Pick<
  Upstream,
  | 'name'
  | 'client_id'
  | 'secret_expires_at'
  | 'metadata_url'
  | 'metadata'
  | 'bind_dn'
  | 'attributes'
  | 'provision'
  | 'guests'
  | 'assurance'
  | 'assurance_trusted'
  | 'recheck_days'
  | 'logout'
  | 'domains'
>

interface Editing {
  upstream: Upstream
  edit: Edit<Editable>
  wrong: Wrong
}

export function SettingsFields(editing: Editing) {
  const { upstream: words, organisation } = useWords()
  const { upstream, edit, wrong } = editing
  const { value, set } = edit
  const { kind, organisation_uuid: owner } = upstream
  return (
    <>
      <section className="card">
        <h2>{organisation.about}</h2>
        <Field
          label={words.name}
          description={words.nameHow}
          value={value.name}
          onChange={(name) => set({ name })}
          error={wrong('name')}
        />
        <OfKind {...editing} />
        {owner === null && (
          <List
            label={words.domains}
            description={words.domainsHow}
            values={value.domains}
            onChange={(domains) => set({ domains })}
            error={wrong('domains', value.domains)}
          />
        )}
      </section>
      <People {...editing} />
      {kind !== 'ldap' && <Assurance {...editing} />}
      <section className="card">
        <details>
          <summary>{words.attributes}</summary>
          <p className="soft">{words.attributesHow}</p>
          <Attributes {...editing} />
        </details>
      </section>
    </>
  )
}

/** How it is reached, and what we are there. */
function OfKind({ upstream: { kind }, edit: { value, set }, wrong }: Editing) {
  const { upstream: words } = useWords()
  if (kind === 'saml')
    return (
      <>
        <Field
          label={words.metadataUrl}
          description={words.metadataUrlHow}
          type="url"
          value={value.metadata_url ?? ''}
          onChange={(url) => set({ metadata_url: url || null })}
          error={wrong('metadata_url')}
        />
        <Lines
          label={words.metadataText}
          description={words.metadataTextHow}
          rows={4}
          value={value.metadata ?? ''}
          onChange={(metadata) => set({ metadata: metadata || null })}
          error={wrong('metadata')}
        />
      </>
    )
  return (
    <>
      {kind === 'oidc' ? (
        <Field
          label={words.clientId}
          value={value.client_id ?? ''}
          spellCheck={false}
          onChange={(client_id) => set({ client_id })}
          error={wrong('client_id')}
        />
      ) : (
        <Field
          label={words.bindDn}
          value={value.bind_dn ?? ''}
          spellCheck={false}
          onChange={(bind_dn) => set({ bind_dn })}
          error={wrong('bind_dn')}
        />
      )}
      <Until
        label={words.secretEnds}
        value={value.secret_expires_at ?? ''}
        onChange={(at) => set({ secret_expires_at: at || null })}
        error={wrong('secret_expires_at')}
      />
    </>
  )
}

/** The people let in, and whether they sign out by it. */
function People({ upstream: { kind, organisation_uuid: owner }, edit: { value, set }, wrong }: Editing) {
  const { upstream: words } = useWords()
  return (
    <section className="card">
      <h2>{words.comes}</h2>
      <Choice
        label={words.provision}
        value={value.provision}
        onChange={(chosen) => set({ provision: chosen === 'create' ? 'create' : 'known' })}
        error={wrong('provision')}
        data={(['known', 'create'] as const).map((one) => ({ value: one, label: words.provisions[one] }))}
      />
      <Check
        label={words.guests}
        description={words.guestsHow}
        checked={value.guests}
        onChange={(guests) => set({ guests })}
        error={wrong('guests')}
      />
      {kind !== 'ldap' && (
        <Choice
          label={words.logout}
          value={value.logout}
          onChange={(chosen) => set({ logout: chosen === 'both' ? 'both' : 'own' })}
          error={wrong('logout')}
          data={(['own', 'both'] as const).map((one) => ({ value: one, label: words.logouts[one] }))}
        />
      )}
      {owner !== null && (
        <Field
          label={words.recheck}
          description={words.recheckHow}
          type="number"
          min={1}
          max={30}
          placeholder="7"
          value={value.recheck_days === null ? '' : String(value.recheck_days)}
          onChange={(days) => set({ recheck_days: days === '' ? null : Number(days) })}
          error={wrong('recheck_days')}
        />
      )}
    </section>
  )
}

const linesOf = (assurance: Upstream['assurance']) =>
  Object.entries(assurance ?? {}).map(([value, level]) => `${value} = ${level}`)

/** A level that is none is sent as it is typed: the API says so. */
function assuranceOf(text: string): Upstream['assurance'] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const all = lines.map((line) => {
    const at = line.lastIndexOf('=')
    const [value, level] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
    return [value.trim(), level.trim()] as const
  })
  return all.length === 0 ? null : (Object.fromEntries(all) as Upstream['assurance'])
}

/** What the provider says of how somebody signed in, and what of it is believed. */
function Assurance({ edit: { value, set }, wrong }: Editing) {
  const { upstream: words } = useWords()
  const isEverything = useMe().reach.kind === 'installation'
  const [typed, setTyped] = useState(linesOf(value.assurance).join('\n'))
  const isTyped = JSON.stringify(assuranceOf(typed)) === JSON.stringify(value.assurance)
  return (
    <section className="card">
      <h2>{words.assurance}</h2>
      <Lines
        label={words.assuranceLines}
        description={words.assuranceHow}
        placeholder="mfa = 2"
        value={isTyped ? typed : linesOf(value.assurance).join('\n')}
        onChange={(text) => {
          setTyped(text)
          set({ assurance: assuranceOf(text) })
        }}
        error={wrong('assurance')}
      />
      <Check
        label={words.trusted}
        description={isEverything ? words.trustedHow : words.trustedOthers}
        checked={value.assurance_trusted}
        disabled={!isEverything}
        onChange={(assurance_trusted) => set({ assurance_trusted })}
        error={wrong('assurance_trusted')}
      />
    </section>
  )
}

const told = [
  'email',
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'locale',
  'zoneinfo',
  'groups',
] as const

/** The names that the provider has for the fields of a person. */
function Attributes({ edit: { value, set }, wrong }: Editing) {
  const change = (name: (typeof told)[number], typed: string) => {
    const all = told.flatMap((one) => {
      const text = one === name ? typed : (value.attributes?.[one] ?? '')
      return text === '' ? [] : [[one, text] as const]
    })
    set({ attributes: all.length === 0 ? null : Object.fromEntries(all) })
  }
  return (
    <div className="attributes">
      {told.map((name) => (
        <Field
          key={name}
          label={<code translate="no">{name}</code>}
          spellCheck={false}
          value={value.attributes?.[name] ?? ''}
          onChange={(typed) => change(name, typed)}
          error={wrong(`attributes.${name}`)}
        />
      ))}
    </div>
  )
}
