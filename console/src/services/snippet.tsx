import './services.css'
import { useWords } from '../messages/messages.tsx'
import { Copy } from '../shared/text.tsx'
import { usePermissions } from '../shared/permissions.ts'
import { issuer } from '../api/client.ts'

interface Protected {
  code: string
  audience: string
  access_token_typ: string
}

/** As guard/README.md shows it, with the values of this service. */
const codeOf = ({ audience, access_token_typ: typ }: Protected, permission: string) =>
  `import { createGuard } from '@tessera/guard'

const guard = createGuard({
  issuer: ${JSON.stringify(issuer)},
  audience: ${JSON.stringify(audience)},${typ === 'JWT' ? '\n  acceptTypJwt: true,' : ''}
})

const decision = await guard.check(request, ${JSON.stringify(permission)})
if (!decision.allowed) {
  // decision.status, decision.headers and decision.body are the whole answer
}`

export function Snippet({ service }: { service: Protected }) {
  const { service: words } = useWords()
  const { data } = usePermissions(service.code)
  const code = codeOf(service, data?.[0]?.code ?? `${service.code}.thing.read`)
  return (
    <section className="card">
      <div className="line">
        <div>
          <h2>{words.protect}</h2>
          <p className="soft">{words.protectHow}</p>
        </div>
        <Copy label={words.code} value={code} />
      </div>
      <pre className="snippet" tabIndex={0}>
        <code translate="no">{code}</code>
      </pre>
    </section>
  )
}
