import { getRouteApi } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Permission } from '../shared/permission.tsx'
import { Check } from '../shared/form.tsx'
import { byService } from '../shared/permissions.ts'
import { PersonPicker } from '../shared/pickers.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Table } from '../shared/table.tsx'
import { Heading, Name } from '../shared/text.tsx'
import { Questions } from './questions.tsx'
import { Sentence } from './sentence.tsx'

const route = getRouteApi('/access/compare')

/** What two people may do, beside each other. The address is the question. */
export function Compare() {
  const words = useWords()
  const { compare } = words
  const { left, right } = route.useSearch()
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
      {left === undefined || right === undefined ? (
        <Empty title={compare.begin}>{compare.lead}</Empty>
      ) : (
        <Compared key={`${left} ${right}`} left={left} right={right} />
      )}
    </>
  )
}

interface Side {
  name: string
  /** The roles that give each permission now. */
  held: ReadonlyMap<string, string[]>
  complete: boolean
}

async function sideOf(uuid: string): Promise<Side> {
  const params = { path: { uuid } }
  const [{ name }, { profiles }] = await Promise.all([
    answered(api.GET('/admin/v1/users/{uuid}', { params })),
    answered(api.GET('/admin/v1/users/{uuid}/access', { params })),
  ])
  const usable = profiles.filter((one) => one.usable)
  const held = new Map<string, string[]>()
  for (const { role_name, permissions } of usable)
    for (const one of permissions) held.set(one, [...new Set([...(held.get(one) ?? []), role_name])])
  return { name, held, complete: usable.every((one) => one.complete) }
}

function Compared({ left, right }: { left: string; right: string }) {
  const asked = useQuery({
    queryKey: ['compare', left, right],
    queryFn: () => Promise.all([sideOf(left), sideOf(right)]),
  })
  return <Shown asked={asked}>{([left, right]) => <Differences left={left} right={right} />}</Shown>
}

function Differences({ left, right }: { left: Side; right: Side }) {
  const { compare, why } = useWords()
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
              { title: left.name, cell: (one) => <By roles={left.held.get(one)} /> },
              { title: right.name, cell: (one) => <By roles={right.held.get(one)} /> },
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
