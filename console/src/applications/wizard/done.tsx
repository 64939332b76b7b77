import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '../../api/types.d.ts'
import type { Messages } from '../../messages/en.ts'
import { useWords } from '../../messages/messages.tsx'
import { useMay } from '../../shared/me.ts'
import { ShownOnce, useStored } from '../../shared/shown-once.tsx'
import { Copy, CopyRow } from '../../shared/text.tsx'
import { deviceGrant, hostOf, randomSecret, type Recipe, settingOf } from './draft.ts'
import { Title } from './title.tsx'
import { issuer } from '../../api/client.ts'

type Created = components['schemas']['CreatedClient']

/** What is put into the application, with its real values. */
export function Done({ client, recipe, url }: { client: Created; recipe: Recipe | undefined; url: string }) {
  const { wizard, application, fields } = useWords()
  const may = useMay()
  const { client_id: id, client_secret: secret, type } = client
  const blocked = useStored(secret !== undefined)
  return (
    <>
      <Title number={4}>{wizard.done(client.client_name)}</Title>
      <section className="card" aria-label={application.connect}>
        <h2>{application.connect}</h2>
        <dl>
          <CopyRow label="client_id" value={id} />
          <CopyRow label={application.issuer} value={issuer} />
          <CopyRow label={application.discovery} value={`${issuer}/.well-known/openid-configuration`} />
          {client.redirect_uris.map((uri) => (
            <CopyRow key={uri} label={fields.redirects} value={uri} />
          ))}
        </dl>
        {type !== 'public' && <ShownOnce label="client_secret" value={secret} />}
      </section>
      <Snippets client={client} recipe={recipe} url={url} />
      <div className="buttons">
        {type !== 'machine' && may('iam.clients.update') && (
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
  const [random] = useState(randomSecret)
  const at = url.trim().replace(/\/+$/, '')
  const values = {
    issuer,
    issuer_path: new URL(issuer).pathname.replace(/\/$/, ''),
    url: at,
    host: hostOf(at),
    client_id: client.client_id,
    client_secret: client.client_secret ?? '<client_secret>',
    scope: client.scope,
    redirect_uri: client.redirect_uris[0] ?? '',
    random,
  }
  const settings = recipe?.settings.map((one) => ({ ...one, where: wizard.into(one.where) })) ?? [
    generic(client, wizard),
  ]
  return (
    <section className="card" aria-label={wizard.snippet}>
      <h2>{wizard.snippet}</h2>
      {settings.map(({ where, text }) => (
        <Snippet key={where} where={where} text={settingOf(text, values).trimEnd()} />
      ))}
      {recipe && recipe.notes.length > 0 && (
        <ul className="notes">
          {recipe.notes.map((note) => (
            <li key={note}>
              <Note>{settingOf(note, values)}</Note>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** As the documents write it: code between backticks, and links of theirs that lead nowhere here. */
function Note({ children }: { children: string }) {
  const parts = children.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').split('`')
  return parts.map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))
}

function Snippet({ where, text }: { where: string; text: string }) {
  return (
    <>
      <div className="line">
        <p className="soft">{where}</p>
        <Copy label={where} value={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it. */}
      <pre tabIndex={0} translate="no">
        {text}
      </pre>
    </>
  )
}

/** A first request where there is no library, else the settings that each library knows. */
function generic(
  { type, redirect_uris: [redirect], grant_types: grants }: Created,
  words: Messages['wizard'],
) {
  if (type === 'machine')
    return {
      where: words.askToken,
      text: `curl -u '{{client_id}}:{{client_secret}}' \\\n  -d grant_type=client_credentials \\\n  {{issuer}}/oauth2/token`,
    }
  if (grants.includes(deviceGrant))
    return {
      where: words.askCode,
      text: `curl -d client_id={{client_id}} -d scope='{{scope}}' \\\n  {{issuer}}/oauth2/device_authorization`,
    }
  const lines = ['OIDC_ISSUER={{issuer}}', 'OIDC_CLIENT_ID={{client_id}}']
  if (type === 'web') lines.push('OIDC_CLIENT_SECRET={{client_secret}}')
  if (redirect !== undefined) lines.push(`OIDC_REDIRECT_URI=${redirect}`)
  return { where: words.anyLibrary, text: [...lines, 'OIDC_SCOPE="{{scope}}"'].join('\n') }
}
