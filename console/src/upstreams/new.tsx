/** A new upstream: its kind first, then what that needs. What to register there is shown once it is added. */
import { Button } from '@mantine/core'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { codeFrom } from '../shared/code.ts'
import { fieldsOf, Form } from '../shared/form.tsx'
import { Icon } from '../shared/icons.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Empty } from '../shared/state.tsx'
import { Heading } from '../shared/text.tsx'
import { bodyOf, emptyDraft, NewFields } from './new-fields.tsx'
import './upstreams.css'

const route = getRouteApi('/upstreams/new')
const kinds = ['oidc', 'saml', 'ldap'] as const

export function NewUpstream() {
  const { upstreams, upstream: words } = useWords()
  const { reach } = useMe()
  const may = useMay()
  const { organisation = reach.organisation_uuid ?? undefined } = route.useSearch()
  const [kind, setKind] = useState<Upstream['kind']>()
  const isAllowed = may('iam.upstreams.create') && reach.kind !== 'unit'
  return (
    <div className="new-upstream">
      <nav className="crumbs" aria-label={upstreams}>
        <Link to="/upstreams" search={organisation === undefined ? {} : { organisation }}>
          {upstreams}
        </Link>
      </nav>
      <div className="top">
        <Heading>{kind === undefined ? words.which : words.kinds[kind].add}</Heading>
      </div>
      {!isAllowed && <Empty title={words.notYours} />}
      {isAllowed && kind === undefined && <Kinds choose={setKind} />}
      {isAllowed && kind !== undefined && (
        <Making kind={kind} organisation={organisation} back={() => setKind(undefined)} />
      )}
    </div>
  )
}

function Kinds({ choose }: { choose: (kind: Upstream['kind']) => void }) {
  const { upstream: words } = useWords()
  return (
    <ul className="upstream-kinds">
      {kinds.map((kind) => (
        <li key={kind}>
          <button type="button" className="card" onClick={() => choose(kind)}>
            <span>
              <strong>{words.kinds[kind].title}</strong>
              <small className="soft">{words.kinds[kind].example}</small>
            </span>
            <Icon name="below" />
          </button>
        </li>
      ))}
    </ul>
  )
}

interface Kind {
  kind: Upstream['kind']
  organisation: string | undefined
  back: () => void
}

/** What is typed stays when it is refused. */
function Making({ kind, organisation, back }: Kind) {
  const { upstream: words, settings } = useWords()
  const navigate = useNavigate()
  const [typed, setTyped] = useState(() => emptyDraft(kind, organisation))
  const draft = { ...typed, code: typed.code ?? codeFrom(typed.name) }
  const change = useChange<typeof draft, Upstream>(
    (sent, { query, key }) =>
      api.POST('/admin/v1/upstreams', {
        params: { query, header: { 'Idempotency-Key': key } },
        body: bodyOf(sent),
      }),
    ({ uuid }) => void navigate({ to: '/upstreams/$uuid', params: { uuid } }),
  )
  const fields = fieldsOf(change.error)
  const isWrong = Object.keys(fields).length > 0
  return (
    <Form
      sent={{ error: isWrong ? null : change.error, isPending: change.isPending }}
      submit={() => change.mutate(draft)}
      label={words.add}
      disabled={draft.name.trim() === '' || draft.code === ''}
      beside={
        <Button variant="default" onClick={back}>
          {words.otherKind}
        </Button>
      }
    >
      <NewFields
        draft={draft}
        set={(changes) => setTyped((before) => ({ ...before, ...changes }))}
        fields={fields}
      />
      {isWrong && (
        <p className="wrong" role="alert">
          {settings.wrong}
        </p>
      )}
    </Form>
  )
}
