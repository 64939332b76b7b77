import { getRouteApi } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { Download } from '../shared/download.tsx'
import { Actor, Event } from '../shared/event.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { SavedViews } from '../shared/saved-views.tsx'
import { Heading, Time } from '../shared/text.tsx'
import { Filters, Fold, type AuditSearch, useFold } from './filters.tsx'
import { Live } from './live.tsx'
import { pageOf, queryOf, type Row } from './pages.ts'
import { Thing } from './thing.tsx'
import { Broken, Verification } from './verified.tsx'
import './audit.css'

const route = getRouteApi('/audit')

/** What happened? Newest first, and as it happens. */
export function Audit() {
  const words = useWords()
  const { records: audit } = words
  const asked = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (change: AuditSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  const [open, turn] = useFold()
  const { request, target } = asked
  return (
    <>
      <div className="top">
        <Heading>{audit.title}</Heading>
        <Live asked={asked} />
        <div className="tools">
          <Fold {...{ asked, open, turn }} />
          <Download path="/audit" query={queryOf(asked)} formats={['csv', 'jsonl']} />
        </div>
      </div>
      <Broken />
      <Filters {...{ asked, open, choose }} />
      <SavedViews list="audit" view={asked} />
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
      <Verification />
    </>
  )
}

function Records({ asked }: { asked: AuditSearch }) {
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
        { title: history.what, plain: true, cell: (one) => <Event of={one} /> },
        { title: history.who, cell: (one) => <Actor of={one} names={one.names} /> },
        {
          title: audit.about,
          cell: ({ target, user_uuid: user, names }) => (
            <Thing
              of={target ?? (user ? { kind: 'user', id: user } : undefined)}
              whose={user}
              names={names}
            />
          ),
        },
      ]}
    />
  )
}
