/** The secret at the provider, or of the account that searches. It is typed here, and never shown. */
import { useState } from 'react'
import { guarded, useChange } from '../api/change.ts'
import { api, type Upstream } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Opening } from '../shared/dialog.tsx'
import { Field, fieldsOf, Form } from '../shared/form.tsx'
import { Until } from '../shared/until.tsx'

export function Secret(thing: Tagged<Upstream>) {
  const { upstream: words } = useWords()
  const { kind, client_secret: isSet } = thing.data
  if (kind === 'saml') return null
  return (
    <section className="card line" aria-label={words.secret}>
      <div>
        <h2>{words.secret}</h2>
        <p className="soft">{isSet ? words.secretSet : words.secretNone[kind]}</p>
      </div>
      <Opening label={words.setSecret} title={words.setSecret}>
        {(close) => <SecretForm {...thing} close={close} />}
      </Opening>
    </section>
  )
}

function SecretForm({ close, ...thing }: Tagged<Upstream> & { close: () => void }) {
  const { upstream: words, change: shared } = useWords()
  const { uuid, kind, managed_by: file } = thing.data
  const [secret, setSecret] = useState('')
  const [until, setUntil] = useState('')
  const name = kind === 'ldap' ? 'bind_password' : 'client_secret'
  const change = useChange<{ secret: string; until: string }, Upstream>(
    (typed, { query }) =>
      api.PATCH('/admin/v1/upstreams/{uuid}', {
        params: { path: { uuid }, query, header: guarded(thing.tag, file) },
        body: { [name]: typed.secret, secret_expires_at: typed.until || null },
      }),
    close,
  )
  const wrong = fieldsOf(change.error)
  return (
    <Form
      sent={change}
      submit={() => change.mutate({ secret, until })}
      label={words.setSecret}
      disabled={secret === ''}
    >
      <p className="lead">{words.secretHow}</p>
      <Field
        label={words.secret}
        type="password"
        autoComplete="off"
        maxLength={1000}
        value={secret}
        onChange={setSecret}
        error={wrong[name]}
        data-autofocus
      />
      <Until label={words.secretEnds} value={until} onChange={setUntil} error={wrong['secret_expires_at']} />
      {file && <p className="notice warn">{shared.override(file)}</p>}
    </Form>
  )
}
