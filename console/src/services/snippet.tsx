import './services.css'
import { useState } from 'react'
import { issuer, type Service } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { usePermissions } from '../shared/permissions.ts'
import { Copy } from '../shared/text.tsx'
import { snippets } from './snippets.ts'

/** What protects a service, with its values, in the language that it is written in. */
export function Snippet({ service }: { service: Service }) {
  const { service: words } = useWords()
  const { data } = usePermissions(service.code)
  const [chosen, setChosen] = useState(snippets[0])
  if (chosen === undefined) return null
  const code = chosen.code({
    issuer,
    audience: service.audience,
    permission: data?.[0]?.code ?? `${service.code}.thing.read`,
    typ: service.access_token_typ,
    alg: service.access_token_alg,
  })
  return (
    <section className="card" aria-label={words.protect}>
      <div className="line">
        <div>
          <h2>{words.protect}</h2>
          <p className="soft">{words.protectHow}</p>
        </div>
        <Copy label={words.code} value={code} />
      </div>
      <div className="chips languages" role="group" aria-label={words.language}>
        {snippets.map((one) => (
          <button
            key={one.language}
            type="button"
            className="chip"
            aria-pressed={one === chosen}
            onClick={() => setChosen(one)}
          >
            {one.language}
          </button>
        ))}
      </div>
      <p className="soft">
        <code translate="no">{chosen.library}</code> – {words.wasRun(chosen.run)}
      </p>
      {service.access_token_typ === 'JWT' && chosen.run !== 'tests' && (
        <p className="notice warn">{words.typJwt}</p>
      )}
      <pre className="snippet" tabIndex={0}>
        <code translate="no">{code}</code>
      </pre>
    </section>
  )
}
