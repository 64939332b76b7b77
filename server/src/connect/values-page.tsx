import type { Child } from 'hono/jsx'
import { Problem } from '../pages/form-page.tsx'
import { Button, FieldError, type FormPageProps, TextField } from '../pages/form.tsx'
import { messagesFor } from '../pages/messages/index.ts'
import { type Provider, providers } from '../upstream/providers.ts'
import { providerWords } from './provider-words.ts'
import { Pasted, stepPage, Theirs } from './step-page.tsx'
import type { ValuesField, ValuesProblem } from './values.ts'

export interface ValuesPageProps extends FormPageProps {
  provider: Provider
  /** Our addresses. */
  own: { redirect: string; logout: string; entityId: string; acs: string; metadata: string; keys: string }
  typed: Partial<Record<ValuesField, string>>
  hasSecret: boolean
  kept: boolean
  problem?: ValuesProblem | 'throttled' | undefined
}

/** What to paste at the provider, and what to copy from there. */
export function valuesPage(props: ValuesPageProps): string {
  const { locale, provider, problem, kept } = props
  const { connect: messages } = messagesFor(locale)
  const isSaml = providers[provider].kind === 'saml'
  const title = messages.valuesHeading(providers[provider].name)
  const said = problem === undefined || problem === 'throttled' ? undefined : problem
  return stepPage({
    ...props,
    title,
    error: problem,
    file: isSaml,
    above: [
      kept && problem === undefined && <p role="status">{messages.kept}</p>,
      <Problem>{problem === 'throttled' && messages.throttled}</Problem>,
      <There {...props} />,
      <h2>{messages.here}</h2>,
    ],
    fields: isSaml ? <SamlFields {...props} said={said} /> : <OidcFields {...props} said={said} />,
    buttons: <Button>{messages.check}</Button>,
  })
}

function There({ locale, provider, own }: ValuesPageProps) {
  const { connect: messages } = messagesFor(locale)
  const { open, redirect, logout, entityId, acs, metadata, takesFile } = providerWords[provider]
  const isOther = provider === 'oidc' || provider === 'saml'
  const fields = [
    [redirect, own.redirect],
    [logout, own.logout],
    [metadata, own.metadata],
    [entityId, own.entityId],
    [acs, own.acs],
  ].flatMap(([name, value]): (readonly [string, string])[] =>
    name === undefined || value === undefined ? [] : [[name, value]],
  )
  return (
    <>
      <h2>{isOther ? messages.thereOther : messages.there(providers[provider].name)}</h2>
      <p>{open === undefined ? messages.register : messages.open(<Theirs>{open}</Theirs>)}</p>
      <p>{messages.paste}</p>
      <Pasted fields={fields} />
      {takesFile && <p>{messages.saveFirst}</p>}
      <Sent locale={locale} provider={provider} />
    </>
  )
}

/** What the provider is to say of people, and where it is told to. */
function Sent({ locale, provider }: Pick<ValuesPageProps, 'locale' | 'provider'>) {
  const { connect: messages } = messagesFor(locale)
  const { send = [], hasNoGroups } = providerWords[provider]
  const code = (text: string) => <code translate="no">{text}</code>
  return (
    <>
      <p>
        {providers[provider].kind === 'saml'
          ? messages.sendSaml(code('persistent'), code('mail'), code('groups'))
          : messages.sendOidc(code('email'), code('groups'))}
        {hasNoGroups && ` ${messages.noGroups(providers[provider].name)}`}
      </p>
      {send.length > 0 && (
        <>
          <p>{messages.setThere}</p>
          <ul>
            {send.map((path) => (
              <li>
                <Theirs>{path}</Theirs>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

type FieldsProps = ValuesPageProps & { said: ValuesProblem | undefined }

/** The words at the field that is wrong, with what exactly is. */
function errorAt({ locale, said }: FieldsProps, field: ValuesField): string | undefined {
  return said?.field === field ? messagesFor(locale).connect.problems[said.problem] : undefined
}

function Exactly({ locale, said }: FieldsProps): Child {
  if (said?.detail === undefined) return null
  const { connect: messages } = messagesFor(locale)
  return (
    <p class="note">
      {messages.detail} <span lang="en">{said.detail}</span>
    </p>
  )
}

function OidcFields(props: FieldsProps) {
  const { locale, provider, own, typed, hasSecret, said } = props
  const { connect: messages } = messagesFor(locale)
  const words = providerWords[provider]
  const where = (path: string | undefined) => (path === undefined ? undefined : messages.from(path))
  return (
    <>
      {words.fixedIssuer === undefined && (
        <TextField
          name="issuer"
          label={provider === 'entra' ? messages.tenant : messages.issuer}
          type="text"
          autocomplete="off"
          hint={[where(words.issuer), words.issuerExample].filter(Boolean).join(' – ')}
          value={typed.issuer}
          error={errorAt(props, 'issuer')}
          autofocus={said?.field === 'issuer'}
        />
      )}
      {words.fixedIssuer !== undefined && errorAt(props, 'issuer') && (
        <FieldError id="issuer-error">{errorAt(props, 'issuer')}</FieldError>
      )}
      <Exactly {...props} />
      <TextField
        name="client_id"
        label={messages.clientId}
        type="text"
        autocomplete="off"
        hint={where(words.client_id)}
        value={typed.client_id}
        error={errorAt(props, 'client_id')}
        autofocus={said?.field === 'client_id'}
      />
      <TextField
        name="client_secret"
        label={messages.clientSecret}
        type="password"
        autocomplete="off"
        hint={[where(words.client_secret), hasSecret ? messages.secretKept : messages.secretHint]
          .filter(Boolean)
          .join('. ')}
        error={errorAt(props, 'client_secret')}
        autofocus={said?.field === 'client_secret'}
      />
      {words.keys !== undefined && (
        <p class="note">
          {messages.noSecret(<code translate="no">{own.keys}</code>)} <Theirs>{words.keys}</Theirs>
        </p>
      )}
    </>
  )
}

function SamlFields(props: FieldsProps) {
  const { locale, provider, typed, said } = props
  const { connect: messages } = messagesFor(locale)
  const wrong = errorAt(props, 'metadata')
  return (
    <>
      <TextField
        name="metadata_url"
        label={messages.metadataUrl}
        type="text"
        autocomplete="off"
        hint={messages.metadataHint(providerWords[provider].metadataUrl ?? '')}
        value={typed.metadata_url}
        error={errorAt(props, 'metadata_url')}
        autofocus={said?.field === 'metadata_url'}
      />
      <div class="field">
        <label for="file">{messages.orFile}</label>
        <input id="file" name="file" type="file" accept=".xml,application/xml,text/xml" />
      </div>
      <div class="field">
        <label for="metadata">{messages.orText}</label>
        {wrong && <FieldError id="metadata-error">{wrong}</FieldError>}
        <textarea
          id="metadata"
          name="metadata"
          rows={6}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={wrong ? 'true' : undefined}
          aria-describedby={wrong ? 'metadata-error' : undefined}
          autofocus={wrong !== undefined}
        >
          {typed.metadata}
        </textarea>
      </div>
      <Exactly {...props} />
    </>
  )
}
