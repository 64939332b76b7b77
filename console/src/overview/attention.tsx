import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import { Shown } from '../shared/state.tsx'
import { Badge, Name, Time } from '../shared/text.tsx'

type Found = components['schemas']['Attention']
type Item = Found['items'][number]

/** What needs somebody: each kind once, with its cure and the ways to the things. */
export function Attention() {
  const { start } = useWords()
  const asked = useQuery({
    queryKey: ['attention'],
    staleTime: 60_000,
    queryFn: () => answered(api.GET('/admin/v1/attention')),
  })
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">{start.attention}</h2>
      <Shown asked={asked}>
        {({ items, more }) =>
          items.length === 0 ? (
            <p className="card soft">{start.nothing}</p>
          ) : (
            <ul className="plain">
              {[...new Set(items.map(({ kind }) => kind))].map((kind) => (
                <Kind
                  key={kind}
                  kind={kind}
                  items={items.filter((one) => one.kind === kind)}
                  more={more.includes(kind)}
                />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  )
}

/** More are folded. */
const few = 5

function Kind({ kind, items, more }: { kind: Item['kind']; items: readonly Item[]; more: boolean }) {
  const { start } = useWords()
  const { what, cure } = start.kinds[kind]
  const tone = kind === 'audit_broken' ? 'bad' : quiet.includes(kind) ? 'plain' : 'warn'
  const rest = items.slice(few)
  return (
    <li className="card">
      <div className="line">
        <h3>{what}</h3>
        <Badge tone={tone}>{`${items.length}${more ? '+' : ''}`}</Badge>
      </div>
      <p className="soft">{cure}</p>
      <Targets items={items.slice(0, few)} />
      {rest.length > 0 && (
        <details>
          <summary>{start.others(rest.length, more)}</summary>
          <Targets items={rest} />
        </details>
      )}
    </li>
  )
}

/** A choice that somebody made, not something that broke. */
const quiet: readonly Item['kind'][] = ['client_weakened', 'secret_dormant']

const Targets = ({ items }: { items: readonly Item[] }) => (
  <ul className="targets">
    {items.map((item) => (
      <li key={item.target.id}>
        <Target of={item.target} why={item.kind} />{' '}
        {item.since !== null && <Since kind={item.kind} at={item.since} />}
      </li>
    ))}
  </ul>
)

/** Where it is cured, if the console shows it. */
function Target({ of: { kind, id, name, user_uuid: user }, why }: { of: Item['target']; why: Item['kind'] }) {
  const words = useWords()
  if (kind === 'audit') return <Link to="/audit">{words.audit}</Link>
  if (why === 'secret_ends' || why === 'secret_dormant')
    return (
      <Link to="/applications/$id/$part" params={{ id, part: 'secrets' }}>
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'client')
    return (
      <Link to="/applications/$id" params={{ id }}>
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'user' || (kind === 'profile' && user !== undefined))
    return (
      <Link to="/people/$uuid" params={{ uuid: user ?? id }}>
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'upstream')
    return (
      <Link to="/upstreams/$uuid" params={{ uuid: id }}>
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'organisation')
    return (
      <Link to="/organisations/$uuid" params={{ uuid: id }}>
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'break_glass') return <Link to="/upstreams">{words.upstream.upstreams}</Link>
  if (kind === 'webhook')
    return (
      <Link to="/webhooks/$uuid" params={{ uuid: id }}>
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'mail')
    return (
      <Link to="/mails">
        <Name>{name}</Name>
      </Link>
    )
  if (kind === 'signing_key') return <Link to="/keys">{words.keys}</Link>
  return <Name>{name}</Name>
}

function Since({ kind, at }: { kind: Item['kind']; at: string }) {
  const { start } = useWords()
  const ending = ['secret_ends', 'upstream_secret_ends', 'profile_ends'].includes(kind)
  const word = !ending ? start.since : Date.parse(at) > Date.now() ? start.ends : start.ended
  return (
    <span className="soft">
      {word} <Time at={at} />
    </span>
  )
}
