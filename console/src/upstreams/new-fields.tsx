import type { Upstream } from '../api/client.ts'
import type { operations } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Choice, Field, Lines, List, wrongIn } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker } from '../shared/pickers.tsx'

type Body = NonNullable<operations['createUpstreams']['requestBody']>['content']['application/json']

/** What is typed of a new upstream. */
export interface Draft {
  kind: Upstream['kind']
  organisation: string | undefined
  name: string
  /** Undefined: it is made of the name. */
  code: string | undefined
  issuer: string
  clientId: string
  secret: string
  metadataBy: 'url' | 'text'
  metadataUrl: string
  metadata: string
  url: string
  bindDn: string
  base: string
  subject: string
  provision: 'known' | 'create'
  domains: string[]
}

export const emptyDraft = (kind: Upstream['kind'], organisation: string | undefined): Draft => ({
  ...{ kind, organisation, name: '', code: undefined, issuer: '', clientId: '', secret: '' },
  ...{ metadataBy: 'url', metadataUrl: '', metadata: '', url: '', bindDn: '', base: '' },
  ...{ subject: '', provision: 'known', domains: [] },
})

const typed = (text: string) => text.trim() || null

export function bodyOf(draft: Draft & { code: string }): Body {
  const { kind, organisation, name, code, subject, provision, domains, secret } = draft
  const own = organisation === undefined ? { domains } : { organisation_uuid: organisation }
  const shared = { kind, name, code, subject: typed(subject), provision, ...own }
  if (kind === 'oidc')
    return {
      ...shared,
      issuer: typed(draft.issuer),
      client_id: typed(draft.clientId),
      ...(secret !== '' && { client_secret: secret }),
    }
  if (kind === 'saml')
    return {
      ...shared,
      issuer: typed(draft.issuer),
      ...(draft.metadataBy === 'url'
        ? { metadata_url: typed(draft.metadataUrl) }
        : { metadata: typed(draft.metadata) }),
    }
  return {
    ...shared,
    url: typed(draft.url),
    base: typed(draft.base),
    bind_dn: typed(draft.bindDn),
    ...(secret !== '' && { bind_password: secret }),
  }
}

export interface Drafting {
  draft: Draft & { code: string }
  set: (changes: Partial<Draft>) => void
  /** What the API said of each field. */
  fields: Readonly<Record<string, string>>
}

export function NewFields(drafting: Drafting) {
  const { upstream: words, organisation } = useWords()
  const { draft, set, fields } = drafting
  const { kind } = draft
  return (
    <>
      <section className="card">
        <h2>{words.names}</h2>
        <Field
          label={words.name}
          description={words.nameHow}
          value={draft.name}
          onChange={(name) => set({ name })}
          error={fields['name']}
        />
        <Field
          label={organisation.code}
          description={words.codeHow}
          value={draft.code}
          onChange={(code) => set({ code })}
          error={fields['code']}
        />
        <Owner {...drafting} />
      </section>
      <section className="card">
        <h2>{words.kinds[kind].title}</h2>
        <p className="soft intro">{words.kinds[kind].how}</p>
        {kind === 'oidc' && <Oidc {...drafting} />}
        {kind === 'saml' && <Saml {...drafting} />}
        {kind === 'ldap' && <Ldap {...drafting} />}
      </section>
      <section className="card">
        <h2>{words.comes}</h2>
        <Choice
          label={words.provision}
          description={words.provisionHow}
          value={draft.provision}
          onChange={(chosen) => set({ provision: chosen === 'create' ? 'create' : 'known' })}
          error={fields['provision']}
          data={(['known', 'create'] as const).map((one) => ({ value: one, label: words.provisions[one] }))}
        />
        <Field
          label={words.subject}
          description={words.subjectHow[kind]}
          placeholder={words.subjectUsual[kind]}
          spellCheck={false}
          value={draft.subject}
          onChange={(subject) => set({ subject })}
          error={fields['subject']}
        />
      </section>
    </>
  )
}

/** The owner: an organisation's administrator has no other. */
function Owner({ draft, set, fields }: Drafting) {
  const { upstream: words } = useWords()
  const { reach } = useMe()
  const may = useMay()
  if (reach.kind !== 'installation') return null
  return (
    <>
      {may('iam.organisations.read') && (
        <div className="field">
          <OrganisationPicker
            label={words.owner}
            hint={words.wholeInstallation}
            description={words.ownerHow}
            value={draft.organisation}
            onChange={(organisation) => set({ organisation })}
            error={fields['organisation_uuid']}
          />
        </div>
      )}
      {draft.organisation === undefined && (
        <List
          label={words.domains}
          description={words.domainsHow}
          rows={2}
          values={draft.domains}
          onChange={(domains) => set({ domains })}
          error={wrongIn(fields)('domains', draft.domains)}
        />
      )}
    </>
  )
}

function Oidc({ draft, set, fields }: Drafting) {
  const { upstream: words } = useWords()
  return (
    <>
      <Field
        label={words.issuer}
        description={words.issuerHow}
        placeholder="https://login.acme.example/tenant"
        spellCheck={false}
        value={draft.issuer}
        onChange={(issuer) => set({ issuer })}
        error={fields['issuer']}
      />
      <Field
        label={words.clientId}
        spellCheck={false}
        value={draft.clientId}
        onChange={(clientId) => set({ clientId })}
        error={fields['client_id']}
      />
      <Field
        label={words.secret}
        description={words.newSecretHow}
        type="password"
        autoComplete="off"
        value={draft.secret}
        onChange={(secret) => set({ secret })}
        error={fields['client_secret']}
      />
    </>
  )
}

function Saml({ draft, set, fields }: Drafting) {
  const { upstream: words } = useWords()
  return (
    <>
      <Field
        label={words.theirEntity}
        description={words.theirEntityHow}
        spellCheck={false}
        value={draft.issuer}
        onChange={(issuer) => set({ issuer })}
        error={fields['issuer']}
      />
      <Choice
        label={words.theirMetadata}
        value={draft.metadataBy}
        onChange={(by) => set({ metadataBy: by === 'text' ? 'text' : 'url' })}
        data={[
          { value: 'url', label: words.metadataUrl },
          { value: 'text', label: words.metadataText },
        ]}
      />
      {draft.metadataBy === 'url' ? (
        <Field
          label={words.metadataUrl}
          description={words.metadataUrlHow}
          type="url"
          value={draft.metadataUrl}
          onChange={(metadataUrl) => set({ metadataUrl })}
          error={fields['metadata_url']}
        />
      ) : (
        <Lines
          label={words.metadataText}
          description={words.metadataTextHow}
          rows={6}
          value={draft.metadata}
          onChange={(metadata) => set({ metadata })}
          error={fields['metadata'] ?? fields['metadata_url']}
        />
      )}
    </>
  )
}

function Ldap({ draft, set, fields }: Drafting) {
  const { upstream: words } = useWords()
  return (
    <>
      <Field
        label={words.url}
        description={words.urlHow}
        placeholder="ldaps://ldap.acme.example"
        spellCheck={false}
        value={draft.url}
        onChange={(url) => set({ url })}
        error={fields['url']}
      />
      <Field
        label={words.base}
        description={words.baseHow}
        placeholder="ou=people,dc=acme,dc=example"
        spellCheck={false}
        value={draft.base}
        onChange={(base) => set({ base })}
        error={fields['base']}
      />
      <Field
        label={words.bindDn}
        description={words.bindDnHow}
        placeholder="cn=tessera,dc=acme,dc=example"
        spellCheck={false}
        value={draft.bindDn}
        onChange={(bindDn) => set({ bindDn })}
        error={fields['bind_dn']}
      />
      <Field
        label={words.bindPassword}
        type="password"
        autoComplete="off"
        value={draft.secret}
        onChange={(secret) => set({ secret })}
        error={fields['bind_password']}
      />
    </>
  )
}
