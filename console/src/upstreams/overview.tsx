import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useChange } from '../api/change.ts'
import { api, type Upstream, type UpstreamState } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Icon } from '../shared/icons.tsx'
import { Refused, Shown } from '../shared/state.tsx'
import { CopyRow, Fact, Name, Time } from '../shared/text.tsx'
import { LastSignIn, useUpstreamState } from './state.tsx'

type Checked = components['schemas']['UpstreamCheck']

/** How it does, what to register at the provider, and how it is set up. */
export function Overview({ data: upstream }: Tagged<Upstream>) {
  const asked = useUpstreamState(upstream.uuid)
  return (
    <Shown asked={asked}>
      {(state) => (
        <>
          {state.problem !== null && <Problem state={state} />}
          <div className="halves">
            <Register upstream={upstream} state={state} />
            <div>
              <Does upstream={upstream} state={state} />
              <Check of={upstream} />
            </div>
          </div>
          <About upstream={upstream} />
        </>
      )}
    </Shown>
  )
}

/** The problem that a sign-in met last. */
function Problem({ state: { problem, failing_since: since } }: { state: UpstreamState }) {
  const { upstream: words } = useWords()
  return (
    <div className="notice bad" role="alert">
      <strong>{words.problem}</strong>
      <p>
        <Name>{problem ?? ''}</Name>
      </p>
      {since !== null && (
        <p className="soft">
          {words.failingSince} <Time at={since} />
        </p>
      )}
      <p className="soft">{words.problemHow}</p>
    </div>
  )
}

interface OfState {
  upstream: Upstream
  state: UpstreamState
}

function Register({ upstream: { kind }, state }: OfState) {
  const { upstream: words } = useWords()
  const { callback, entity_id: entity, metadata, jwks, logout, signed_out: signedOut } = state
  const rows = [
    [kind === 'saml' ? words.acs : words.callback, callback],
    [words.entity, entity],
    [words.metadata, metadata],
    [words.jwks, jwks],
    [words.logoutAddress, logout],
    [words.signedOut, signedOut],
  ] as const
  return (
    <section className="card" aria-label={words.register}>
      <h2>{words.register}</h2>
      <p className="soft">{words.registerHow[kind]}</p>
      {callback !== null && (
        <dl>
          {rows.map(([label, value]) =>
            value === null ? null : <CopyRow key={label} label={label} value={value} />,
          )}
        </dl>
      )}
    </section>
  )
}

function Does({ upstream: { uuid, secret_expires_at: ends }, state }: OfState) {
  const { upstream: words } = useWords()
  const { people, certificates_end_at: certificates } = state
  return (
    <section className="card" aria-label={words.does}>
      <h2>{words.does}</h2>
      <dl>
        <Fact label={words.linked}>{String(people)}</Fact>
        <Fact label={words.lastSignIn}>
          <LastSignIn uuid={uuid} />
        </Fact>
        {ends !== null && (
          <Fact label={words.secretEnds}>
            <Time at={ends} />
          </Fact>
        )}
        {certificates !== null && (
          <Fact label={words.certificatesEnd}>
            <Time at={certificates} />
          </Fact>
        )}
      </dl>
    </section>
  )
}

/** Asks the provider now. */
function Check({ of: { uuid, kind } }: { of: Upstream }) {
  const { upstream: words } = useWords()
  const check = useChange<null, Checked>(() =>
    api.POST('/admin/v1/upstreams/{uuid}/check', { params: { path: { uuid } }, body: {} }),
  )
  return (
    <section className="card" aria-label={words.check}>
      <h2>{words.check}</h2>
      <p className="soft">{words.checkHow[kind]}</p>
      {check.data && !check.isPending && (
        <div className={`notice verdict ${check.data.ok ? 'holds' : 'fails'}`} role="status">
          <Icon name={check.data.ok ? 'holds' : 'fails'} />
          <p>{check.data.ok ? words.checkHolds : <Name>{check.data.problem ?? ''}</Name>}</p>
        </div>
      )}
      {check.error ? <Refused error={check.error} /> : null}
      <div className="buttons">
        <Button variant="default" loading={check.isPending} onClick={() => check.mutate(null)}>
          {words.checkNow}
        </Button>
      </div>
    </section>
  )
}

function About({ upstream }: { upstream: Upstream }) {
  const { upstream: words, organisation, yes, no } = useWords()
  const { kind, metadata } = upstream
  const facts: [string, ReactNode][] = [
    [words.kind, words.kinds[kind].title],
    [kind === 'saml' ? words.theirEntity : words.issuer, upstream.issuer],
    [words.clientId, upstream.client_id],
    [words.metadataUrl, upstream.metadata_url],
    [words.url, upstream.url],
    [words.bindDn, upstream.bind_dn],
    [words.base, upstream.base],
    [words.subject, upstream.subject ?? words.subjectUsual[kind]],
    [words.provision, words.provisions[upstream.provision]],
    [words.fields.guests, upstream.guests ? yes : no],
    [words.domains, upstream.domains.join(', ') || null],
  ]
  return (
    <section className="card wide" aria-label={organisation.about}>
      <h2>{organisation.about}</h2>
      <dl>
        {facts.map(([label, value]) =>
          value === null ? null : (
            <Fact key={label} label={label}>
              {typeof value === 'string' ? <Name>{value}</Name> : value}
            </Fact>
          ),
        )}
        {metadata !== null && <Fact label={words.metadataText}>{words.metadataSet}</Fact>}
        {kind !== 'saml' && (
          <Fact label={words.secret}>
            {upstream.client_secret ? words.secretSet : words.secretNone[kind]}
          </Fact>
        )}
        <CopyRow label={organisation.code} value={upstream.code} />
        <CopyRow label="uuid" value={upstream.uuid} />
      </dl>
    </section>
  )
}
