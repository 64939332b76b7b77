import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '../../api/types.d.ts'
import { useWords } from '../../messages/messages.tsx'
import { useMay } from '../../shared/me.ts'
import { ShownOnce, useStored } from '../../shared/shown-once.tsx'
import { CopyRow, Heading } from '../../shared/text.tsx'
import { type Recipe, settingOf } from './draft.ts'

type Created = components['schemas']['CreatedClient']

/** What is put into the application, with its real values. */
export function Done({ client, recipe, url }: { client: Created; recipe: Recipe | undefined; url: string }) {
  const { wizard, application, fields } = useWords()
  const may = useMay()
  const { client_id: id, client_secret: secret, type } = client
  const blocked = useStored(secret !== undefined)
  return (
    <>
      <Heading>{wizard.done(client.client_name)}</Heading>
      <section className="card" aria-label={application.connect}>
        <h2>{application.connect}</h2>
        <dl>
          <CopyRow label="client_id" value={id} />
          <CopyRow label={application.issuer} value={location.origin} />
          <CopyRow
            label={application.discovery}
            value={`${location.origin}/.well-known/openid-configuration`}
          />
          {client.redirect_uris.map((uri) => (
            <CopyRow key={uri} label={fields.redirects} value={uri} />
          ))}
        </dl>
        {type !== 'public' && <ShownOnce label="client_secret" value={secret} />}
      </section>
      <Snippets client={client} recipe={recipe} url={url} />
      <div className="buttons">
        {type !== 'machine' && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to="/applications/$id/$part" params={{ id, part: 'try' }} {...props} />
            )}
          >
            {application.parts.try}
          </Button>
        )}
        {may('iam.access.read') && (
          <Button
            variant="default"
            renderRoot={(props) => (
              <Link to="/applications/$id/$part" params={{ id, part: 'preview' }} {...props} />
            )}
          >
            {application.parts.preview}
          </Button>
        )}
        <Button renderRoot={(props) => <Link to="/applications/$id" params={{ id }} {...props} />}>
          {wizard.open}
        </Button>
      </div>
      {blocked}
    </>
  )
}

/** As the recipe says it, else what every library asks for; a machine's first token. */
function Snippets({ client, recipe, url }: { client: Created; recipe: Recipe | undefined; url: string }) {
  const { wizard } = useWords()
  const values = {
    issuer: location.origin,
    url: url.trim().replace(/\/+$/, ''),
    client_id: client.client_id,
    client_secret: client.client_secret ?? '',
    scope: client.scope,
  }
  const settings = recipe?.settings ?? [{ where: wizard.anyLibrary, text: generic(client) }]
  return (
    <section className="card" aria-label={wizard.snippet}>
      <h2>{wizard.snippet}</h2>
      {settings.map(({ where, text }) => (
        <div key={where}>
          <p className="soft">{where}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it. */}
          <pre tabIndex={0} translate="no">
            {settingOf(text, values).trimEnd()}
          </pre>
        </div>
      ))}
      {recipe && recipe.notes.length > 0 && (
        <ul className="notes">
          {recipe.notes.map((note) => (
            <li key={note}>{settingOf(note, values).replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function generic({ type, redirect_uris: [redirect = ''] }: Created): string {
  if (type === 'machine')
    return `curl -u '{{client_id}}:{{client_secret}}' -d grant_type=client_credentials {{issuer}}/oauth2/token`
  const lines = ['OIDC_ISSUER={{issuer}}', 'OIDC_CLIENT_ID={{client_id}}']
  if (type === 'web') lines.push('OIDC_CLIENT_SECRET={{client_secret}}')
  if (redirect !== '') lines.push(`OIDC_REDIRECT_URI=${redirect}`)
  return [...lines, 'OIDC_SCOPE="{{scope}}"'].join('\n')
}
