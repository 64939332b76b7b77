import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useWords } from '../../messages/messages.tsx'
import { useMay } from '../../shared/me.ts'
import { ShownOnce, useStored } from '../../shared/shown-once.tsx'
import { CopyRow } from '../../shared/text.tsx'
import { ProxyRows } from '../overview.tsx'
import { proxiesOf, type Recipe } from './draft.ts'
import { type Created, Snippets } from './snippets.tsx'
import { Title } from './title.tsx'
import { issuer } from '../../api/client.ts'

/** What is put into the application, with its real values. */
export function Done({
  client,
  recipe,
  recipes,
  url,
}: {
  client: Created
  recipe: Recipe | undefined
  recipes: readonly Recipe[]
  url: string
}) {
  const { wizard, application, fields } = useWords()
  const may = useMay()
  const { client_id: id, client_secret: secret, type } = client
  const blocked = useStored(secret !== undefined)
  return (
    <>
      <Title number={4}>{wizard.done(client.client_name)}</Title>
      {type === 'proxied' ? (
        <Proxies client={client} recipe={recipe} recipes={recipes} url={url} />
      ) : (
        <>
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
          {client.metadata !== 'document' && <Snippets client={client} recipe={recipe} url={url} />}
        </>
      )}
      <div className="buttons">
        {parts
          .filter(({ of, permission }) => of.includes(type) && may(permission))
          .map(({ part }) => (
            <Button
              key={part}
              variant="default"
              renderRoot={(props) => <Link to="/applications/$id/$part" params={{ id, part }} {...props} />}
            >
              {application.parts[part]}
            </Button>
          ))}
        <Button renderRoot={(props) => <Link to="/applications/$id" params={{ id }} {...props} />}>
          {wizard.open}
        </Button>
      </div>
      {blocked}
    </>
  )
}

/** What one looks at next, by the type of what was connected. */
const parts: readonly {
  part: 'try' | 'preview' | 'visit'
  of: readonly Created['type'][]
  permission: string
}[] = [
  { part: 'try', of: ['public', 'web'], permission: 'iam.clients.update' },
  { part: 'preview', of: ['public', 'web', 'machine'], permission: 'iam.access.read' },
  { part: 'visit', of: ['proxied'], permission: 'iam.access.read' },
]

/** What is put into the proxy in front of it, by which proxy that is. */
function Proxies({ client, recipe, recipes, url }: Parameters<typeof Done>[0]) {
  const { application, proxied } = useWords()
  const known = proxiesOf(recipes)
  const [chosen, choose] = useState(recipe ?? known[0])
  return (
    <>
      <section className="card" aria-label={application.connect}>
        <h2>{application.connect}</h2>
        <p className="soft">{proxied.connectHow}</p>
        <ProxyRows origins={client.origins} />
      </section>
      {chosen && (
        <>
          <p className="label" id="proxy">
            {proxied.proxy}
          </p>
          <div className="chips proxies" role="group" aria-labelledby="proxy">
            {known.map((one) => (
              <button
                key={one.name}
                type="button"
                className="chip"
                aria-pressed={one.name === chosen.name}
                onClick={() => choose(one)}
              >
                {one.product}
              </button>
            ))}
          </div>
          <Snippets key={chosen.name} client={client} recipe={chosen} url={url} />
        </>
      )}
    </>
  )
}
