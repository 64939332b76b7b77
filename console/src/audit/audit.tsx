import { getRouteApi, Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { Filter, Pages, usePages } from '../shared/list.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker, PersonPicker } from '../shared/pickers.tsx'
import { Heading, Name, Time } from '../shared/text.tsx'
import { kinds } from './kinds.ts'
import { Live } from './live.tsx'
import { pageOf, type Row } from './pages.ts'
import { nameOf, Thing } from './thing.tsx'
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
        <Live asked={asked} />
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

function Records({ asked }: { asked: Search }) {
  const { records: audit, history } = useWords()
  const pages = usePages<Row>(['audit', asked], (cursor) => pageOf(asked, cursor))
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
