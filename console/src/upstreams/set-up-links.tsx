/** Set-up links: the organisation sets up its sign-in itself, and nothing counts before it is confirmed here. */
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useChange } from '../api/change.ts'
import { answered, api } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Opening } from '../shared/dialog.tsx'
import { Field, Form } from '../shared/form.tsx'
import { usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { SecretDialog } from '../shared/shown-once.tsx'
import { Shown } from '../shared/state.tsx'
import { Badge, Fact, Name, Time, useTimeWriter } from '../shared/text.tsx'

type SetUp = components['schemas']['UpstreamInvitation']
type Made = components['schemas']['CreatedUpstreamInvitation']

const tones = {
  open: 'warn',
  handed_in: 'warn',
  confirmed: 'good',
  withdrawn: 'plain',
  expired: 'plain',
} as const

export function SetUpLinks({ organisation }: { organisation: string }) {
  const { setup: words, close } = useWords()
  const may = useMay()('iam.upstreams.create')
  const [made, setMade] = useState<{ address: string | undefined }>()
  const pages = usePages(['set-up links', organisation], (cursor) => {
    const query = { organisation_uuid: organisation, limit: '50', ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/upstream-invitations', { params: { query } }))
  })
  return (
    <section aria-labelledby="set-up">
      <div className="line head">
        <div>
          <h2 id="set-up">{words.title}</h2>
          <p className="soft">{words.lead}</p>
        </div>
        {may && <Make organisation={organisation} made={setMade} />}
      </div>
      <Shown asked={pages} rows={1}>
        {({ pages: found }) => (
          <ul className="plain">
            {found
              .flatMap(({ items }) => items)
              .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
              .map((one) => (
                <li key={one.uuid}>
                  <One of={one} mayChange={may} />
                </li>
              ))}
          </ul>
        )}
      </Shown>
      {made && (
        <SecretDialog
          title={words.made}
          label={words.link}
          value={made.address}
          how={words.once}
          close={() => setMade(undefined)}
        >
          <div className="buttons">
            <Button onClick={() => setMade(undefined)}>{close}</Button>
          </div>
        </SecretDialog>
      )}
    </section>
  )
}

interface Making {
  organisation: string
  made: (made: { address: string | undefined }) => void
}

function Make(making: Making) {
  const { setup: words } = useWords()
  return (
    <Opening label={words.make} title={words.make}>
      {(close) => <MakeForm {...making} close={close} />}
    </Opening>
  )
}

function MakeForm({ organisation, made, close }: Making & { close: () => void }) {
  const { setup: words } = useWords()
  const change = useChange<string, Made>(
    (organisation_uuid, { query, key }) =>
      api.POST('/admin/v1/upstream-invitations', {
        params: { query, header: { 'Idempotency-Key': key } },
        body: { organisation_uuid },
      }),
    ({ address }) => {
      close()
      made({ address })
    },
  )
  return (
    <Form sent={change} submit={() => change.mutate(organisation)} label={words.make}>
      <p>{words.makeWhat}</p>
    </Form>
  )
}

function One({ of: link, mayChange }: { of: SetUp; mayChange: boolean }) {
  const { setup: words } = useWords()
  const written = useTimeWriter()
  const { state, created_at: at, expires_at: until } = link
  const waits = state === 'open' || state === 'handed_in'
  return (
    <article className="card" aria-label={words.of(written(at))}>
      <div className="line">
        <h3>{words.of(written(at))}</h3>
        <Badge tone={tones[state]}>{words.states[state]}</Badge>
      </div>
      {waits && (
        <p className="soft">
          {words.until} <Time at={until} />
        </p>
      )}
      {state === 'handed_in' && !link.entry.domain?.found_at && (
        <div className="notice warn">
          <p>{words.noDomain}</p>
        </div>
      )}
      {state === 'handed_in' && <Entered of={link} />}
      {mayChange && waits && (
        <div className="actions">
          {state === 'handed_in' && <Accept of={link} />}
          <Withdraw of={link} />
        </div>
      )}
    </article>
  )
}

/** What would come to count. */
function Entered({ of: { entry, tried_at: tried } }: { of: SetUp }) {
  const { setup: words, upstream: shared, directory, none, person } = useWords()
  const { domain, upstream, directory: scim } = entry
  const rows: [string, ReactNode][] = [
    [words.domain, domain === null ? none : <Name key="domain">{domain.name}</Name>],
    [words.record, domain?.found_at ? <Time key="found" at={domain.found_at} /> : person.never],
    ...(upstream === null
      ? []
      : ([
          [shared.kind, shared.kinds[upstream.kind].title],
          [shared.issuer, <Name key="issuer">{upstream.issuer}</Name>],
          [shared.clientId, upstream.client_id && <Name key="client">{upstream.client_id}</Name>],
          [shared.metadataUrl, upstream.metadata_url && <Name key="url">{upstream.metadata_url}</Name>],
          [words.sso, upstream.sso && <Name key="sso">{upstream.sso}</Name>],
          [words.slo, upstream.slo && <Name key="slo">{upstream.slo}</Name>],
          [words.certificates, upstream.certificates.join(', ') || null],
        ] satisfies [string, ReactNode][])),
    [directory.one, scim === null ? none : <code key="scim">{scim.code}</code>],
    [words.tried, tried === null ? person.never : <Time key="tried" at={tried} />],
  ]
  return (
    <dl className="wide">
      {rows.map(([label, value]) =>
        value === null ? null : (
          <Fact key={label} label={label}>
            {value}
          </Fact>
        ),
      )}
    </dl>
  )
}

/** Exactly what was shown: another entry since is refused. */
function Accept({ of: link }: { of: SetUp }) {
  const { setup: words } = useWords()
  const { uuid, entry_hash: hash, entry } = link
  const [code, setCode] = useState(entry.upstream?.code ?? '')
  const isOther = entry.upstream !== null && code !== entry.upstream.code
  return (
    <Confirm
      primary
      label={words.confirm}
      title={words.confirmTitle}
      what={['confirm set-up', uuid, hash, code]}
      ask={({ query }) =>
        api.POST('/admin/v1/upstream-invitations/{uuid}/confirm', {
          params: { path: { uuid }, query },
          body: { entry_hash: hash, ...(isOther && { code }) },
        })
      }
    >
      {(refused) => (
        <>
          <p>{words.confirmWhat}</p>
          {entry.upstream && (
            <Field label={words.code} value={code} onChange={setCode} error={refused['code']} />
          )}
        </>
      )}
    </Confirm>
  )
}

function Withdraw({ of: { uuid } }: { of: SetUp }) {
  const { setup: words } = useWords()
  return (
    <Confirm
      danger
      label={words.withdraw}
      title={words.withdrawTitle}
      what={['withdraw set-up', uuid]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/upstream-invitations/{uuid}', { params: { path: { uuid }, query } })
      }
    >
      <p>{words.withdrawWhat}</p>
    </Confirm>
  )
}
