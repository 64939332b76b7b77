import { Link } from '@tanstack/react-router'
import { answered, api, type User } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Name, Time } from '../shared/text.tsx'
import { EndTokens, Withdraw } from './end.tsx'
import './person.css'

/** Which applications somebody is signed in to, and what they allowed them. */
export function Applications({ user: { uuid } }: { user: User }) {
  const { person } = useWords()
  const may = useMay()
  return (
    <>
      {may('iam.sessions.read') && (
        <section className="uses" aria-label={person.tokens}>
          <h2>{person.tokens}</h2>
          <Tokens uuid={uuid} />
        </section>
      )}
      {may('iam.consents.read') && (
        <section className="uses" aria-label={person.consents}>
          <h2>{person.consents}</h2>
          <Consents uuid={uuid} />
        </section>
      )}
    </>
  )
}

function Tokens({ uuid }: { uuid: string }) {
  const { person, ends } = useWords()
  const may = useMay()
  const pages = usePages(['person', uuid, 'tokens'], (cursor) => {
    const query = { user_uuid: uuid, limit: '200', ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/token-families', { params: { query } })).then(byClient)
  })
  const action = {
    title: ends.end,
    plain: true,
    away: true,
    cell: ({ client_id: client }: Family) => <EndTokens uuid={uuid} client={client} />,
  }
  return (
    <Pages
      pages={pages}
      label={person.tokens}
      file={{ path: '/token-families', query: { user_uuid: uuid } }}
      id={({ client_id }) => client_id}
      empty={{ title: person.noTokens }}
      columns={[
        { title: person.application, plain: true, cell: (one) => <Application {...one} /> },
        { title: person.since, cell: ({ created_at }) => <Time at={created_at} /> },
        { title: person.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
        ...(may('iam.sessions.delete') ? [action] : []),
      ]}
    />
  )
}

type Families = components['schemas']['TokenFamilyPage']
type Family = Families['items'][number]

/** A line for each application: the console itself, for one, gets tokens anew each time that it is loaded. */
function byClient({ items, ...page }: Families): Families {
  const lines = new Map<string, Family>()
  // The oldest is first.
  for (const one of items) {
    const { created_at, last_used_at } = lines.get(one.client_id) ?? one
    const latest = last_used_at > one.last_used_at ? last_used_at : one.last_used_at
    lines.set(one.client_id, { ...one, created_at, last_used_at: latest })
  }
  return { ...page, items: [...lines.values()] }
}

function Consents({ uuid }: { uuid: string }) {
  const { person, ends } = useWords()
  const may = useMay()
  const pages = usePages(['person', uuid, 'consents'], (cursor) => {
    const query = { user_uuid: uuid, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/consents', { params: { query } }))
  })
  const action = {
    title: ends.withdraw,
    plain: true,
    away: true,
    cell: ({ client_id: client }: { client_id: string }) => <Withdraw uuid={uuid} client={client} />,
  }
  return (
    <Pages
      pages={pages}
      label={person.consents}
      file={{ path: '/consents', query: { user_uuid: uuid } }}
      id={({ client_id }) => client_id}
      empty={{ title: person.noConsent }}
      columns={[
        { title: person.application, plain: true, cell: (one) => <Application {...one} /> },
        { title: person.allowed, cell: ({ scope }) => <code translate="no">{scope}</code> },
        { title: person.since, cell: ({ granted_at }) => <Time at={granted_at} /> },
        ...(may('iam.consents.delete') ? [action] : []),
      ]}
    />
  )
}

function Application({ client_id: id }: { client_id: string }) {
  const may = useMay()
  if (!may('iam.clients.read')) return <Name>{id}</Name>
  return (
    <Link className="strong" to="/applications/$id" params={{ id }}>
      <Name>{id}</Name>
    </Link>
  )
}
