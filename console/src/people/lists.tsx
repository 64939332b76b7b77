import { answered, api, type Session, type User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { History as Records } from '../shared/history.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Badge, Name, Time } from '../shared/text.tsx'
import { EndAllSessions, EndSession } from './end.tsx'
import { Recovery, RemoveFactor, useMayWeaken } from './recover.tsx'

/** Where somebody is signed in. */
export function Sessions({ user }: { user: User }) {
  const { uuid } = user
  const { person, ends } = useWords()
  const mayEnd = useMay()('iam.sessions.delete')
  const pages = usePages(['person', uuid, 'sessions'], (cursor) =>
    answered(
      api.GET('/admin/v1/sessions', { params: { query: { user_uuid: uuid, ...(cursor && { cursor }) } } }),
    ),
  )
  const action = {
    title: ends.end,
    plain: true,
    away: true,
    cell: (one: Session) => lives(one) && <EndSession sid={one.sid} />,
  }
  return (
    <>
      <Pages
        pages={pages}
        label={person.sessions}
        file={{ path: '/sessions', query: { user_uuid: uuid } }}
        id={({ sid }) => sid}
        empty={{ title: person.noSession }}
        columns={[
          { title: person.where, plain: true, cell: (one) => <Where of={one} /> },
          {
            title: person.signedIn,
            cell: ({ auth_time: at, amr }) => (
              <>
                <Time at={at} />{' '}
                <code className="soft" translate="no">
                  {amr.join(' ')}
                </code>
              </>
            ),
          },
          { title: person.lastSeen, cell: (one) => <Seen of={one} /> },
          ...(mayEnd ? [action] : []),
        ]}
      />
      {mayEnd && pages.data?.pages.some(({ items }) => items.some(lives)) && (
        <div className="actions">
          <EndAllSessions user={user} />
        </div>
      )}
    </>
  )
}

/** The browser, as the person's account has it. */
function Where({ of: { browser, network } }: { of: Session }) {
  const { person } = useWords()
  return (
    <>
      {browser === null ? person.unknownBrowser : <Name>{browser}</Name>}
      {network !== null && (
        <small className="soft">
          {person.from} <Name>{network}</Name>
        </small>
      )}
    </>
  )
}

function Seen({ of: one }: { of: Session }) {
  const { person, status } = useWords()
  if (!lives(one)) return <Badge tone="plain">{status.expired}</Badge>
  return (
    <>
      <Time at={one.last_seen_at} />
      <small className="soft">
        {person.ends} <Time at={one.expires_at} />
      </small>
    </>
  )
}

const lives = ({ ended_at: end }: Session) => end === null

/** What somebody proves themselves with beside a password. */
export function Factors({ user }: { user: User }) {
  const { uuid } = user
  const { person, recover } = useWords()
  const mayWeaken = useMayWeaken(user)
  const pages = usePages(['person', uuid, 'factors'], (cursor) =>
    answered(
      api.GET('/admin/v1/users/{uuid}/factors', {
        params: { path: { uuid }, query: { ...(cursor && { cursor }) } },
      }),
    ),
  )
  const action = {
    title: recover.factor,
    plain: true,
    away: true,
    cell: (one: { id: string; name: string }) => <RemoveFactor user={user} {...one} />,
  }
  return (
    <>
      <Pages
        pages={pages}
        label={person.factors}
        file={{ path: `/users/${uuid}/factors` }}
        id={({ id }) => id}
        empty={{ title: person.noFactor }}
        columns={[
          { title: person.name, plain: true, cell: ({ name }) => <Name>{name}</Name> },
          { title: person.kind, cell: ({ kind }) => person.kinds[kind] },
          { title: person.added, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            title: person.lastUsed,
            cell: ({ last_used_at, suspended_at }) =>
              suspended_at === null ? (
                last_used_at === null ? (
                  person.never
                ) : (
                  <Time at={last_used_at} />
                )
              ) : (
                <Badge tone="warn">{person.suspended}</Badge>
              ),
          },
          ...(mayWeaken ? [action] : []),
        ]}
      />
      <Recovery user={user} />
    </>
  )
}

/** What the audit tells about somebody, newest first. */
export function History({ user: { uuid } }: { user: User }) {
  const { person } = useWords()
  return <Records of={{ user_uuid: uuid }} label={person.history} empty={person.noHistory} />
}
