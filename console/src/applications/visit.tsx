import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, api, type Client } from '../api/client.ts'
import type { components } from '../api/types.d.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Choice, Field, Form } from '../shared/form.tsx'
import { Icon } from '../shared/icons.tsx'
import { useMay } from '../shared/me.ts'
import { PersonPicker } from '../shared/pickers.tsx'
import { Shown } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Profiles } from './preview.tsx'
import { DemandWords } from './route-lines.tsx'

type Foreseen = components['schemas']['ClientVisit']

interface Asked {
  method: string
  url: string
  user_uuid?: string
  profile_uuid?: string
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** What a visitor of an application behind a proxy would get at an address: passed, led to the sign-in, or refused. */
export function Visit({ data: { client_id: id, origins } }: Tagged<Client>) {
  const { proxied } = useWords()
  const words = proxied.visit
  const may = useMay()
  const [method, setMethod] = useState('GET')
  const [url, setUrl] = useState(`${origins[0] ?? ''}/`)
  const [user, setUser] = useState<string>()
  const [profile, setProfile] = useState<string>()
  // A second look tells what holds now.
  const [looked, setLooked] = useState<{ body: Asked; at: number }>()
  const asked = useQuery({
    queryKey: ['application', id, 'visit', looked],
    retry: false,
    queryFn:
      looked === undefined
        ? skipToken
        : () =>
            answered(
              api.POST('/admin/v1/clients/{client_id}/visit', {
                params: { path: { client_id: id } },
                body: looked.body,
              }),
            ),
  })
  /** What was told is not about what is typed since. */
  const typing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      setLooked(undefined)
      set(value)
    }
  const look = () => {
    const visitor = user && profile ? { user_uuid: user, profile_uuid: profile } : {}
    setLooked({ body: { method, url: url.trim(), ...visitor }, at: Date.now() })
  }
  return (
    <>
      <section className="card" aria-label={words.title}>
        <h2>{words.title}</h2>
        <p className="lead">{words.lead}</p>
        <Form
          sent={{ error: null, isPending: asked.isFetching }}
          submit={look}
          label={words.ask}
          disabled={user !== undefined && profile === undefined}
        >
          <Choice
            label={proxied.method}
            value={method}
            onChange={typing(setMethod)}
            data={methods.map((value) => ({ value, label: value }))}
          />
          <Field label={words.address} type="url" value={url} onChange={typing(setUrl)} />
          {may('iam.users.read') && (
            <>
              <div className="field">
                <PersonPicker
                  label={words.person}
                  hint={words.nobody}
                  value={user}
                  onChange={typing((uuid) => {
                    setUser(uuid)
                    setProfile(undefined)
                  })}
                />
              </div>
              {user && <Profiles key={user} user={user} value={profile} onChange={typing(setProfile)} />}
            </>
          )}
        </Form>
      </section>
      {looked && <Shown asked={asked}>{(visit) => <Outcome visit={visit} by={looked.body} />}</Shown>}
    </>
  )
}

function Outcome({ visit, by }: { visit: Foreseen; by: Asked }) {
  const { proxied, preview } = useWords()
  const { visit: words } = proxied
  const { outcome, routes, headers } = visit
  return (
    <>
      <Verdict visit={visit} by={by} />
      {routes.length > 0 && (
        <section aria-label={outcome === 'refused' ? words.refusing : words.lines}>
          <h2>{outcome === 'refused' ? words.refusing : words.lines}</h2>
          <Table
            label={words.lines}
            rows={routes}
            id={({ route }) => route}
            columns={[
              { title: words.line, plain: true, cell: ({ route }) => <code translate="no">{route}</code> },
              { title: proxied.demand, cell: ({ demands }) => <DemandWords demand={demands} /> },
            ]}
          />
        </section>
      )}
      {headers && (
        <section aria-label={words.headers}>
          <h2>{words.headers}</h2>
          <Table
            label={words.headers}
            rows={Object.entries(headers)}
            id={([name]) => name}
            columns={[
              { title: words.header, plain: true, cell: ([name]) => <code translate="no">{name}</code> },
              {
                title: preview.value,
                cell: ([, value]) =>
                  value === '' ? (
                    <span className="soft">{words.empty}</span>
                  ) : (
                    <code translate="no">{value}</code>
                  ),
              },
            ]}
          />
        </section>
      )}
    </>
  )
}

function Verdict({ visit, by }: { visit: Foreseen; by: Asked }) {
  const { proxied } = useWords()
  const { visit: words } = proxied
  const { outcome, permission, reason } = visit
  const { user_uuid: user, profile_uuid: profile } = by
  if (outcome !== 'refused') {
    const passes = outcome === 'passes'
    return (
      <div className={`notice verdict ${passes ? 'holds' : ''}`} role="status">
        <Icon name={passes ? 'holds' : 'people'} />
        <p>
          <strong>{passes ? words.passes : words.signIn}</strong>{' '}
          {passes ? user === undefined && words.passesNobody : words.signInHow}
        </p>
      </div>
    )
  }
  return (
    <div className="notice verdict fails" role="status">
      <Icon name="fails" />
      <p>
        <strong>{words.refused}</strong> {permission === null ? reason : words.lacks(permission)}{' '}
        {permission !== null && user !== undefined && (
          <Link to="/access/why" search={{ user, permission, ...(profile && { profile }) }}>
            {words.why}
          </Link>
        )}
      </p>
    </div>
  )
}
