/** The domains of an organisation: which it has, and the record that proves each. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { guarded, overriding, useChange } from '../api/change.ts'
import { answered, api, type Domain, type Organisation, withTag } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Confirmation, Opening } from '../shared/dialog.tsx'
import { Check, Field, fieldsOf, Form } from '../shared/form.tsx'
import { usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Empty, Refused, Shown } from '../shared/state.tsx'
import { Badge, CopyRow, Fact, Name, Time } from '../shared/text.tsx'

type Outcome = components['schemas']['DomainCheck']['outcome']

interface OfOrganisation {
  organisation: Organisation
}

export function Domains({ organisation }: OfOrganisation) {
  const words = useWords()
  const { domain } = words
  const may = useMay()
  const { uuid } = organisation
  const pages = usePages(['domains', uuid], (cursor) => {
    const query = { organisation_uuid: uuid, limit: '50', ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/domains', { params: { query } }))
  })
  return (
    <section aria-labelledby="domains">
      <div className="line head">
        <div>
          <h2 id="domains">{domain.title}</h2>
          <p className="soft">{domain.lead}</p>
        </div>
        {may('iam.domains.create') && <Claim organisation={organisation} />}
      </div>
      <Shown asked={{ data: pages.data, error: pages.error, refetch: pages.refetch }} rows={2}>
        {({ pages: found }) => {
          const domains = found
            .flatMap(({ items }) => items)
            .sort((one, other) => one.name.localeCompare(other.name))
          return domains.length === 0 ? (
            <Empty title={domain.empty}>{domain.emptyHow}</Empty>
          ) : (
            <ul className="plain">
              {domains.map((one) => (
                <li key={one.uuid}>
                  <One domain={one} organisation={organisation} />
                </li>
              ))}
            </ul>
          )
        }}
      </Shown>
      {pages.hasNextPage && (
        <Button
          variant="default"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {words.more}
        </Button>
      )}
    </section>
  )
}

interface OfDomain extends OfOrganisation {
  domain: Domain
}

function One({ domain, organisation }: OfDomain) {
  const { domain: words } = useWords()
  const { name, holds, given } = domain
  return (
    <article className="card" aria-label={name}>
      <div className="line">
        <h3>
          <Name>{name}</Name>
        </h3>
        <State domain={domain} />
      </div>
      {given || holds ? (
        <details>
          <summary>{words.record}</summary>
          <Record domain={domain} />
        </details>
      ) : (
        <>
          <p className="soft">{words.recordHow}</p>
          <Record domain={domain} />
        </>
      )}
      <Actions domain={domain} organisation={organisation} />
    </article>
  )
}

function State({ domain: { holds, given, missing_since: missing } }: { domain: Domain }) {
  const { domain: words } = useWords()
  return (
    <span className="badges">
      <Badge tone={holds ? 'good' : 'warn'}>{holds ? words.holds : words.waits}</Badge>
      {given && <Badge tone="plain">{words.given}</Badge>}
      {missing !== null && <Badge tone="bad">{words.missing}</Badge>}
    </span>
  )
}

function Record({ domain: { name, token, checked_at: looked, missing_since: missing } }: { domain: Domain }) {
  const { domain: words, person } = useWords()
  return (
    <dl>
      <CopyRow label={words.recordName} value={`_tessera.${name}`} />
      <CopyRow label={words.recordValue} value={token} />
      <Fact label={words.looked}>{looked === null ? person.never : <Time at={looked} />}</Fact>
      {missing !== null && (
        <Fact label={words.missingSince}>
          <Time at={missing} /> <span className="soft">{words.missingHow}</span>
        </Fact>
      )}
    </dl>
  )
}

function Actions({ domain, organisation }: OfDomain) {
  const may = useMay()
  const isEverything = useMe().reach.kind === 'installation'
  const [mayUpdate, mayRemove] = [may('iam.domains.update'), may('iam.domains.delete')]
  if (!mayUpdate && !mayRemove) return null
  return (
    <div className="actions">
      {mayUpdate && <Look domain={domain} />}
      {mayUpdate && isEverything && <Give domain={domain} organisation={organisation} />}
      {mayRemove && (isEverything || !domain.given) && <Remove domain={domain} organisation={organisation} />}
    </div>
  )
}

/** Asks for the record now, and tells what was found. */
function Look({ domain: { uuid } }: { domain: Domain }) {
  const { domain: words } = useWords()
  const look = useChange<null, { outcome: Outcome }>(() =>
    api.POST('/admin/v1/domains/{uuid}/check', { params: { path: { uuid } }, body: {} }),
  )
  return (
    <>
      {look.data && (
        <p className={look.data.outcome === 'holds' ? 'found good' : 'found wrong'} role="status">
          {words.outcomes[look.data.outcome]}
        </p>
      )}
      {look.error ? <Refused error={look.error} /> : null}
      <Button variant="default" loading={look.isPending} onClick={() => look.mutate(null)}>
        {words.look}
      </Button>
    </>
  )
}

/** The installation gives it without a record, or takes that back. */
function Give({ domain: { uuid, name, given }, organisation: { managed_by: file } }: OfDomain) {
  const { domain: words } = useWords()
  const label = given ? words.take : words.give
  return (
    <Opening label={label} title={given ? words.takeTitle(name) : words.giveTitle(name)}>
      {(close) => <Giving {...{ uuid, given, label, file, close }} />}
    </Opening>
  )
}

function Giving({
  uuid,
  given,
  label,
  file,
  close,
}: {
  uuid: string
  given: boolean
  label: string
  file: string | null
  close: () => void
}) {
  const { domain: words } = useWords()
  const path = { uuid }
  const asked = useQuery({
    queryKey: ['domain', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/domains/{uuid}', { params: { path } })),
  })
  return (
    <Shown asked={asked} rows={1}>
      {({ tag }) => (
        <Confirmation
          label={label}
          file={file}
          what={['give domain', uuid, tag]}
          close={close}
          done={close}
          ask={({ query }) =>
            api.PATCH('/admin/v1/domains/{uuid}', {
              params: { path, query, header: guarded(tag, file) },
              body: { given: !given },
            })
          }
        >
          <p>{given ? words.takeWhat : words.giveWhat}</p>
        </Confirmation>
      )}
    </Shown>
  )
}

function Remove({ domain: { uuid, name }, organisation: { managed_by: file } }: OfDomain) {
  const { domain: words, change } = useWords()
  return (
    <Confirm
      danger
      label={words.remove}
      title={change.removeTitle(name)}
      file={file}
      what={['remove domain', uuid]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/domains/{uuid}', {
          params: { path: { uuid }, query, header: overriding(file) },
        })
      }
    >
      <p>{words.removeWhat}</p>
    </Confirm>
  )
}

function Claim({ organisation }: OfOrganisation) {
  const { domain: words } = useWords()
  return (
    <Opening primary label={words.claim} title={words.claimTitle}>
      {(close) => <Claiming organisation={organisation} close={close} />}
    </Opening>
  )
}

function Claiming({
  organisation: { uuid, managed_by: file },
  close,
}: OfOrganisation & { close: () => void }) {
  const { domain: words, change: shared } = useWords()
  const isEverything = useMe().reach.kind === 'installation'
  const [name, setName] = useState('')
  const [given, setGiven] = useState(false)
  const change = useChange<{ name: string; given: boolean }, Domain>(
    (typed, { query, key }) =>
      api.POST('/admin/v1/domains', {
        params: { query, header: { 'Idempotency-Key': key, ...overriding(file) } },
        body: { organisation_uuid: uuid, name: typed.name, ...(typed.given && { given: true }) },
      }),
    close,
  )
  const wrong = fieldsOf(change.error)
  return (
    <Form
      sent={change}
      submit={() => change.mutate({ name: name.trim(), given })}
      label={words.claim}
      disabled={name.trim() === ''}
    >
      <Field
        label={words.name}
        description={words.nameHow}
        placeholder="acme.example"
        value={name}
        onChange={setName}
        error={wrong['name']}
        data-autofocus
      />
      {isEverything && (
        <Check label={words.give} description={words.giveWhat} checked={given} onChange={setGiven} />
      )}
      {file && <p className="notice warn">{shared.override(file)}</p>}
    </Form>
  )
}
