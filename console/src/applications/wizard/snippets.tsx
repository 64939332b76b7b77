import { useState } from 'react'
import { issuer, path } from '../../api/client.ts'
import type { components } from '../../api/types.d.ts'
import type { Messages } from '../../messages/en.ts'
import { useWords } from '../../messages/messages.tsx'
import { Copy } from '../../shared/text.tsx'
import { deviceGrant, hostOf, randomSecret, type Recipe, settingOf } from './draft.ts'

export type Created = components['schemas']['CreatedClient']

/** Settings of the recipe, else what every library asks for; a machine's first token. */
export function Snippets({
  client,
  recipe,
  url,
}: {
  client: Created
  recipe: Recipe | undefined
  url: string
}) {
  const { wizard } = useWords()
  const [random] = useState(randomSecret)
  const at = url.trim().replace(/\/+$/, '')
  const values = {
    issuer,
    issuer_path: path,
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

/** Notes as the documents write them: code between backticks, and links that lead nowhere here. */
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
