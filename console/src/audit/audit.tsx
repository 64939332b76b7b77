import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { answered, api, type AuditRecord, followAudit } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker, PersonPicker } from '../shared/pickers.tsx'
import { Heading, Name, Time } from '../shared/text.tsx'
import { kinds } from './kinds.ts'
import { nameOf, type Names, Thing } from './thing.tsx'
import './audit.css'

const route = getRouteApi('/audit')
type Search = ReturnType<typeof route.useSearch>

/** What happened? Newest first, and as it happens. */
export function Audit() {
  const words = useWords()
  const { records: audit } = words
  const asked = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (change: Search) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const { request, target } = asked
  return (
    <>
      <div className="top">
        <Heading>{audit.title}</Heading>
        <Live query={filterOf(asked)} />
      </div>
      <Filters asked={asked} choose={choose} />
      {(request ?? target) !== undefined && (
        <p className="narrowed">
          {request ? audit.byRequest : audit.about} <code translate="no">{request ?? target}</code>{' '}
          <button
            type="button"
            className="quiet"
            onClick={() => choose({ request: undefined, target: undefined })}
          >
            {words.all}
          </button>
        </p>
      )}
      <Records asked={asked} />
    </>
  )
}

function Filters({ asked, choose }: { asked: Search; choose: (change: Search) => void }) {
  const { records: audit, history } = useWords()
  const may = useMay()
  const { reach } = useMe()
  const { kind, actor, user, organisation, from = '', to = '' } = asked
  const time = (at: string) => (Number.isNaN(Date.parse(at)) ? undefined : new Date(at).toISOString())
  return (
    <div className="audit-filters">
      <label>
        {audit.kind}
        <Filter
          label={audit.kind}
          value={kind}
          onChange={(kind) => choose({ kind })}
          of={Object.fromEntries(kinds.map((one) => [one, one]))}
        />
      </label>
      {may('iam.users.read') && (
        <>
          <PersonPicker label={history.who} value={actor} onChange={(actor) => choose({ actor })} />
          <PersonPicker label={audit.user} value={user} onChange={(user) => choose({ user })} />
        </>
      )}
      {reach.kind === 'installation' && may('iam.organisations.read') && (
        <OrganisationPicker
          label={audit.organisation}
          value={organisation}
          onChange={(organisation) => choose({ organisation })}
        />
      )}
      <label>
        {audit.from}
        <input
          type="date"
          className="mantine-Input-input"
          value={from.slice(0, 10)}
          onChange={({ currentTarget: { value } }) => choose({ from: time(value) })}
        />
      </label>
      <label>
        {audit.to}
        <input
          type="date"
          className="mantine-Input-input"
          value={to.slice(0, 10)}
          onChange={({ currentTarget: { value } }) => choose({ to: time(value) })}
        />
      </label>
    </div>
  )
}

function filterOf({ kind, actor, target, user, organisation, request }: Search): Record<string, string> {
  return {
    ...(kind && { kind }),
    ...(actor && { actor }),
    ...(target && { target }),
    ...(user && { user_uuid: user }),
    ...(organisation && { organisation_uuid: organisation }),
    ...(request && { request_id: request }),
  }
}

type Row = AuditRecord & { names: Names }

function Records({ asked }: { asked: Search }) {
  const { records: audit, history } = useWords()
  const { from, to } = asked
  const pages = usePages<Row>(['audit', asked], async (cursor) => {
    const times = { ...(from && { from }), ...(to && { to }) }
    const query = { ...filterOf(asked), ...times, include: 'names', limit: '50', ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/audit', { params: { query } }))
    return { ...page, items: page.items.map((one) => ({ ...one, names: page.names ?? {} })) }
  })
  return (
    <Pages
      pages={pages}
      label={audit.title}
      id={({ sequence }) => String(sequence)}
      empty={{ title: audit.nothing, how: audit.nothingHow }}
      columns={[
        { title: history.when, cell: ({ at }) => <Time at={at} /> },
        {
          title: history.what,
          plain: true,
          cell: ({ sequence, kind }) => (
            <Link to="/audit/$sequence" params={{ sequence: String(sequence) }}>
              <code translate="no">{kind}</code>
            </Link>
          ),
        },
        { title: history.who, cell: ({ actor, names }) => <Name>{nameOf(actor, names)}</Name> },
        {
          title: audit.about,
          cell: ({ target, user_uuid: user, names }) => (
            <Thing of={target ?? (user ? { kind: 'user', id: user } : undefined)} names={names} />
          ),
        },
      ]}
    />
  )
}

/**
 * Follows what happens while one is at the top of the list; below, it says that there is more and lets the rows stand.
 * It pauses when the token ends, so that a sign-in that idles ends too.
 */
function Live({ query }: { query: Record<string, string> }) {
  const { records: audit } = useWords()
  const queries = useQueryClient()
  const [on, setOn] = useState(true)
  const [waiting, setWaiting] = useState(false)
  const asked = JSON.stringify(query)
  const show = useCallback(() => {
    setWaiting(false)
    void queries.invalidateQueries({ queryKey: ['audit'] })
  }, [queries])
  useEffect(() => {
    if (!on) return
    const stop = new AbortController()
    const heard = () => (window.scrollY < 80 ? show() : setWaiting(true))
    followAudit(JSON.parse(asked) as Record<string, string>, stop.signal, heard)
      .catch(() => undefined)
      .finally(() => {
        if (!stop.signal.aborted) setOn(false)
      })
    return () => stop.abort()
  }, [on, asked, show])
  return (
    <div className="live">
      {waiting && (
        <Button
          onClick={() => {
            scrollTo({ top: 0 })
            show()
          }}
        >
          {audit.newer}
        </Button>
      )}
      <span className={on ? 'pulse' : 'soft'} role="status">
        {on ? audit.live : audit.paused}
      </span>
      <Button variant="default" onClick={() => setOn(!on)}>
        {on ? audit.pause : audit.follow}
      </Button>
    </div>
  )
}
