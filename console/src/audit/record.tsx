import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api, type AuditRecord as Kept } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Table } from '../shared/table.tsx'
import { Actor, Event, useEvent } from '../shared/event.tsx'
import { nameIn, type Names } from '../shared/names.ts'
import { Shown } from '../shared/state.tsx'
import { CopyRow, Fact, Heading, Name, Time } from '../shared/text.tsx'
import { Thing } from './thing.tsx'
import './audit.css'

const route = getRouteApi('/audit/$sequence')

/** One thing that happened: who did what to whom, and what is different since. */
export function AuditRecord() {
  const { records: audit } = useWords()
  const event = useEvent()
  const { sequence } = route.useParams()
  const asked = useQuery({
    queryKey: ['record', sequence],
    queryFn: async () => {
      const params = { path: { sequence } }
      const record = await answered(api.GET('/admin/v1/audit/{sequence}', { params }))
      const { request_id: request } = record
      if (request === undefined) return { record, names: {}, others: [] }
      const query = { request_id: request, include: 'names', limit: '20' }
      // What the same request did beside; it also brings the names.
      const { items, names } = await answered(api.GET('/admin/v1/audit', { params: { query } }))
      return { record, names: names ?? {}, others: items.filter((one) => one.sequence !== record.sequence) }
    },
  })
  return (
    <>
      <nav className="crumbs" aria-label={audit.title}>
        <Link to="/audit">{audit.title}</Link>
      </nav>
      <Shown asked={asked} page={{ name: audit.title, to: '/audit' }}>
        {({ record, names, others }) => (
          <>
            <div className="top">
              <div>
                <Heading>{event(record.kind)}</Heading>
                <code className="soft" translate="no">
                  {record.kind}
                </code>
              </div>
            </div>
            <div className="halves">
              <div>
                <Differences record={record} names={names} />
                <Others others={others} />
              </div>
              <Facts record={record} names={names} />
            </div>
          </>
        )}
      </Shown>
    </>
  )
}

const written = (value: unknown, names: Names): string => {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'string') return nameIn(names, value) ?? value
  if (Array.isArray(value)) return value.map((one) => written(one, names)).join('\n')
  return JSON.stringify(value)
}

/** Before and after by field, and what else was noted. */
function Differences({ record: { before, after, detail }, names }: { record: Kept; names: Names }) {
  const { records: audit } = useWords()
  const rows = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const value = (of: unknown) => (
    <code className="value" translate="no">
      <bdi>{written(of, names)}</bdi>
    </code>
  )
  return (
    <>
      {rows.length > 0 && (
        <Table
          label={audit.fields}
          id={(field) => field}
          rows={rows}
          columns={[
            { title: audit.field, plain: true, cell: (field) => <Name>{field}</Name> },
            ...(before ? [{ title: audit.before, cell: (field: string) => value(before[field]) }] : []),
            ...(after ? [{ title: audit.after, cell: (field: string) => value(after[field]) }] : []),
          ]}
        />
      )}
      {detail && (
        <Table
          label={audit.detail}
          id={(field) => field}
          rows={Object.keys(detail)}
          columns={[
            { title: audit.detail, plain: true, cell: (field) => <Name>{field}</Name> },
            { title: audit.value, plain: true, cell: (field) => value(detail[field]) },
          ]}
        />
      )}
      {rows.length === 0 && !detail && <p className="card soft">{audit.noValues}</p>}
    </>
  )
}

function Others({ others }: { others: readonly Kept[] }) {
  const { records: audit } = useWords()
  if (others.length === 0) return null
  return (
    <section className="card">
      <h2>{audit.sameRequest}</h2>
      <ul className="plain">
        {others.map((one) => (
          <li key={one.sequence}>
            <Event of={one} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Facts({ record, names }: { record: Kept; names: Names }) {
  const { records: audit, person, history } = useWords()
  const { at, actor, address, target, user_uuid: user, client_id: client, request_id: request } = record
  const about = target ?? (user ? { kind: 'user', id: user } : undefined)
  return (
    <section className="card">
      <h2>{person.facts}</h2>
      <dl>
        <Fact label={history.when}>
          <Time at={at} />
        </Fact>
        <Fact label={history.who}>
          {nameIn(names, actor.id ?? '') === undefined ? (
            <Actor of={record} names={names} />
          ) : (
            <Thing of={{ kind: 'user', id: actor.id ?? '' }} names={names} />
          )}{' '}
          <span className="soft">{actor.role_code}</span>
        </Fact>
        {about && (
          <Fact label={audit.about}>
            <Thing of={about} names={names} />{' '}
            <Link className="history" to="/audit" search={{ target: about.id }}>
              {audit.itsHistory}
            </Link>
          </Fact>
        )}
        {client !== undefined && (
          <Fact label={audit.client}>
            <Thing of={{ kind: 'client', id: client }} names={names} />
          </Fact>
        )}
        {address !== undefined && <CopyRow label={audit.address} value={address} />}
        {request !== undefined && <CopyRow label={audit.request} value={request} />}
        <CopyRow label={audit.number} value={String(record.sequence)} />
        <CopyRow label={audit.hash} value={record.hash} />
      </dl>
    </section>
  )
}
