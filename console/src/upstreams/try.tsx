/** A sign-in at the provider for show: what it says of somebody, and what a sign-in would do. Nobody is signed in here. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useChange } from '../api/change.ts'
import { answered, api, type Upstream } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Icon } from '../shared/icons.tsx'
import { usePlaces } from '../shared/place.ts'
import { Refused, Shown } from '../shared/state.tsx'
import { Badge, CopyRow, Fact, Name, Time } from '../shared/text.tsx'

type NewTrial = components['schemas']['NewUpstreamTrial']
type Trial = components['schemas']['UpstreamTrial']
type Came = NonNullable<Trial['came']>
type Would = NonNullable<Trial['would']>

export function Try({ data: { uuid } }: Tagged<Upstream>) {
  const { tryout: words } = useWords()
  const [made, setMade] = useState<NewTrial>()
  const change = useChange<null, NewTrial>(
    () => api.POST('/admin/v1/upstreams/{uuid}/test', { params: { path: { uuid } }, body: {} }),
    (trial) => {
      setMade(trial)
      // A browser may not let it: the address is shown, too.
      window.open(trial.address, '_blank', 'noreferrer')
    },
  )
  return (
    <>
      <p className="lead">{words.lead}</p>
      <div className="actions start">
        <Button loading={change.isPending} onClick={() => change.mutate(null)}>
          {made === undefined ? words.begin : words.again}
        </Button>
      </div>
      {change.error ? <Refused error={change.error} /> : null}
      {made && <Outcome key={made.id} uuid={uuid} made={made} />}
    </>
  )
}

/** How often it is asked whether somebody came back, ms. */
const pause = 2000

function Outcome({ uuid, made }: { uuid: string; made: NewTrial }) {
  const asked = useQuery({
    queryKey: ['upstream', uuid, 'test', made.id],
    queryFn: () =>
      answered(api.GET('/admin/v1/upstreams/{uuid}/test/{id}', { params: { path: { uuid, id: made.id } } })),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.state === 'waiting' ? pause : false,
  })
  return (
    <Shown asked={asked} rows={2}>
      {(trial) =>
        trial.state === 'waiting' ? <Waits made={made} opened={trial.opened} /> : <Verdict trial={trial} />
      }
    </Shown>
  )
}

function Waits({ made, opened }: { made: NewTrial; opened: boolean }) {
  const { tryout: words } = useWords()
  return (
    <section className="card" aria-label={words.waits}>
      <h2 role="status">{opened ? words.opened : words.waits}</h2>
      {!opened && (
        <>
          <p className="soft">{words.waitsHow}</p>
          <dl>
            <CopyRow label={words.address} value={made.address} />
            <Fact label={words.until}>
              <Time at={made.expires_at} />
            </Fact>
          </dl>
          <p>
            <a href={made.address} target="_blank" rel="noreferrer">
              {words.open}
            </a>
          </p>
        </>
      )}
    </section>
  )
}

function Verdict({ trial: { problem, came, would } }: { trial: Trial }) {
  const { tryout: words } = useWords()
  const isIn = problem === null && would?.outcome !== 'refused'
  return (
    <>
      <div className={`notice verdict ${isIn ? 'holds' : 'fails'}`} role="status">
        <Icon name={isIn ? 'holds' : 'fails'} />
        <p>
          <strong>{problem ? words.failed : would ? words.outcomes[would.outcome] : words.came}</strong>
        </p>
      </div>
      {problem && (
        <section className="card" aria-label={words.cure}>
          <h2>{words.cure}</h2>
          <p>{problem.cure}</p>
          <p className="soft">
            <code translate="no">{problem.code}</code> <Name>{problem.message}</Name>
          </p>
        </section>
      )}
      {would && <Does would={would} />}
      {came && <CameBack came={came} />}
    </>
  )
}

function Does({ would }: { would: Would }) {
  const { tryout: words, yes, no } = useWords()
  const { user_uuid: user, reason, links, changes, gives, ends } = would
  return (
    <section className="card wide" aria-label={words.would}>
      <h2>{words.would}</h2>
      <dl>
        {user !== null && (
          <Fact label={words.person}>
            <Link to="/people/$uuid" params={{ uuid: user }}>
              <Name>{user}</Name>
            </Link>
          </Fact>
        )}
        {reason !== null && (
          <Fact label={words.reason}>
            <code translate="no">{reason}</code>
          </Fact>
        )}
        <Fact label={words.links}>{links ? yes : no}</Fact>
        {changes.length > 0 && (
          <Fact label={words.changes}>
            {changes.map(({ field, before, after }) => (
              <p key={field}>
                <code translate="no">{field}</code> <Name>{`${String(before)} → ${String(after)}`}</Name>
              </p>
            ))}
          </Fact>
        )}
        <Profiles label={words.gives} profiles={gives} />
        <Profiles label={words.ends} profiles={ends} />
      </dl>
    </section>
  )
}

function Profiles({ label, profiles }: { label: string; profiles: Would['gives'] }) {
  const { none } = useWords()
  const places = profiles.map((one) => ({ ...one, organisation_unit_uuid: one.unit_uuid }))
  const place = usePlaces(places)
  return (
    <Fact label={label}>
      {places.length === 0
        ? none
        : places.map((one) => (
            <p key={JSON.stringify(one)}>
              <code translate="no">{one.role_code}</code>{' '}
              <span className="soft">
                <Name>{place(one)}</Name>
              </span>
            </p>
          ))}
    </Fact>
  )
}

function CameBack({ came }: { came: Came }) {
  const { tryout: words, none } = useWords()
  const { subject, fields, groups, claims, contexts, amr, auth_time: at } = came
  const others = Object.entries(claims).filter(([name]) => !(name in fields) && name !== 'groups')
  const groupsShown =
    groups === 'unknown' ? (
      words.unknown
    ) : groups.length === 0 ? (
      words.noGroups
    ) : (
      <Values key="groups" of={groups} />
    )
  const rows: [string, ReactNode][] = [
    [words.subject, <Name key="subject">{subject}</Name>],
    ...Object.entries(fields).map(([name, value]): [string, ReactNode] => [
      name,
      <Name key={name}>{value}</Name>,
    ]),
    [words.groups, groupsShown],
    ...others.map(([name, values]): [string, ReactNode] => [name, <Values key={name} of={values} />]),
    [words.contexts, <Values key="contexts" of={[...contexts, ...amr]} />],
    [words.authTime, at === null ? none : <Time key="at" at={at} />],
  ]
  return (
    <section className="card wide" aria-label={words.came}>
      <h2>{words.came}</h2>
      <dl>
        {rows.map(([label, value], index) => (
          // Two may be called the same.
          <Fact key={`${label} ${index}`} label={label}>
            {value}
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function Values({ of: values }: { of: readonly string[] }) {
  const { none } = useWords()
  if (values.length === 0) return none
  return (
    <span className="badges">
      {[...new Set(values)].map((one) => (
        <Badge key={one} tone="plain">
          {one}
        </Badge>
      ))}
    </span>
  )
}
