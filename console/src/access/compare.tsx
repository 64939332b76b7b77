import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api, Refusal } from '../api/client.ts'
import { useLanguage, useWords } from '../messages/messages.tsx'
import { TextInput } from '../shared/input.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Permission } from '../shared/permission.tsx'
import { Check } from '../shared/form.tsx'
import { byService } from '../shared/permissions.ts'
import { PersonPicker } from '../shared/pickers.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Heading, Name, useTimeWriter } from '../shared/text.tsx'
import { local } from '../shared/until.tsx'
import { Questions } from './questions.tsx'
import { Sentence } from './sentence.tsx'

const route = getRouteApi('/access/compare')

/** What two people may do, or one at two moments, beside each other. The address is the question. */
export function Compare() {
  const words = useWords()
  const { compare } = words
  const { left, right, leftAt, rightAt } = route.useSearch()
  const navigate = route.useNavigate()
  const side = (name: 'left' | 'right', value: string | undefined) => (
    <PersonPicker
      bare
      label={compare[name]}
      value={value}
      onChange={(chosen) => void navigate({ search: (before) => ({ ...before, [name]: chosen }) })}
    />
  )
  return (
    <>
      <div className="top">
        <Heading title={words.access}>{words.access}</Heading>
      </div>
      <Questions permission={undefined} />
      <Sentence
        label={compare.title}
        says={compare.asks}
        parts={{ left: side('left', left), right: side('right', right) }}
      />
      <Moments />
      {left === undefined || right === undefined ? (
        <Empty title={compare.begin}>{compare.lead}</Empty>
      ) : (
        <Compared
          key={`${left} ${right}`}
          left={{ uuid: left, at: momentOf(leftAt) }}
          right={{ uuid: right, at: momentOf(rightAt) }}
        />
      )}
    </>
  )
}

/** A moment of the address; undefined: it is none, so now. */
const momentOf = (text: string | undefined): string | undefined =>
  text === undefined || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString()

const week = 7 * 86_400_000

/** When each side is asked about, for those who may read the audit. Empty: now. */
function Moments() {
  const { compare } = useWords()
  const may = useMay()
  const { reach } = useMe()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  if (!may('iam.audit.read') || reach.kind === 'unit') return null
  const { left } = search
  return (
    <div className="moments">
      {(['leftAt', 'rightAt'] as const).map((name) => (
        <Moment
          key={name}
          label={compare[name]}
          value={momentOf(search[name])}
          onChange={(at) => void navigate({ search: (before) => ({ ...before, [name]: at }) })}
        />
      ))}
      {left !== undefined && (
        <Button
          variant="default"
          onClick={() =>
            void navigate({
              search: { left, right: left, rightAt: new Date(Date.now() - week).toISOString() },
            })
          }
        >
          {compare.samePerson}
        </Button>
      )}
    </div>
  )
}

function Moment({
  label,
  value,
  onChange,
}: {
  label: string
  value: string | undefined
  onChange: (at: string | undefined) => void
}) {
  const language = useLanguage()
  return (
    <TextInput
      type="datetime-local"
      lang={language}
      label={label}
      max={local(new Date().toISOString())}
      value={value === undefined ? '' : local(value)}
      onChange={({ currentTarget: { value: typed } }) =>
        onChange(typed === '' ? undefined : new Date(typed).toISOString())
      }
    />
  )
}

/** Somebody, at a moment; undefined: now. */
interface PersonThen {
  uuid: string
  at: string | undefined
}

interface Side {
  name: string
  at: string | undefined
  /** The roles that give each permission now. */
  held: ReadonlyMap<string, string[]>
  complete: boolean
}

async function sideOf({ uuid, at }: PersonThen): Promise<Side> {
  const path = { uuid }
  const query = at === undefined ? {} : { at }
  const [name, { profiles }] = await Promise.all([
    nameOf(uuid, at),
    answered(api.GET('/admin/v1/users/{uuid}/access', { params: { path, query } })),
  ])
  const usable = profiles.filter((one) => one.usable)
  const held = new Map<string, string[]>()
  for (const { role_name, permissions } of usable)
    for (const one of permissions) held.set(one, [...new Set([...(held.get(one) ?? []), role_name])])
  return { name, at, held, complete: usable.every((one) => one.complete) }
}

/** Somebody who is gone since has a past, and no name any more. */
async function nameOf(uuid: string, at: string | undefined): Promise<string> {
  try {
    return (await answered(api.GET('/admin/v1/users/{uuid}', { params: { path: { uuid } } }))).name
  } catch (error) {
    if (at !== undefined && error instanceof Refusal && error.status === 404) return uuid
    throw error
  }
}

function Compared({ left, right }: { left: PersonThen; right: PersonThen }) {
  const asked = useQuery({
    queryKey: ['compare', left, right],
    queryFn: () => Promise.all([sideOf(left), sideOf(right)]),
  })
  return <Shown asked={asked}>{([left, right]) => <Differences left={left} right={right} />}</Shown>
}

function Differences({ left, right }: { left: Side; right: Side }) {
  const { compare, why } = useWords()
  const written = useTimeWriter()
  const title = ({ name, at }: Side) => (at === undefined ? name : `${name}, ${written(at)}`)
  const [only, setOnly] = useState(true)
  const every = [...new Set([...left.held.keys(), ...right.held.keys()])]
  const differs = every.filter((one) => left.held.has(one) !== right.held.has(one))
  const shown = only ? differs : every
  return (
    <>
      <Check label={compare.onlyDifferences} checked={only} onChange={setOnly} />
      {!(left.complete && right.complete) && <p className="soft">{compare.partly}</p>}
      {differs.length === 0 && <p role="status">{every.length === 0 ? compare.nothing : compare.same}</p>}
      {byService(shown.toSorted()).map(([service, permissions]) => (
        <section key={service} className="card">
          <h2>
            <code translate="no">{service}</code>
          </h2>
          <Table
            label={service}
            rows={permissions}
            id={(one) => one}
            columns={[
              { title: why.permission, plain: true, cell: (one) => <Permission code={one} /> },
              { title: title(left), cell: (one) => <By roles={left.held.get(one)} /> },
              { title: title(right), cell: (one) => <By roles={right.held.get(one)} /> },
            ]}
          />
        </section>
      ))}
    </>
  )
}

/** The roles by which somebody may do it; a dash where none does. */
function By({ roles }: { roles: string[] | undefined }) {
  const { no } = useWords()
  if (roles === undefined) return <span className="soft">{no}</span>
  return <Name>{roles.join(', ')}</Name>
}
