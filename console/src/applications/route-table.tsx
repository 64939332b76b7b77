/** The table of an application behind a proxy: what each method and path demands. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Choice, Field, type Wrong } from '../shared/form.tsx'
import { PermissionPicker } from '../shared/pickers.tsx'
import { Table } from '../shared/table.tsx'
import { demandKind, type Routes } from './route-lines.tsx'
import './route-table.css'

const methods = ['*', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

interface Row {
  id: number
  method: string
  path: string
  /** Empty: a permission that is not chosen yet. */
  demand: string
}

const rowsOf = (routes: Routes): Row[] =>
  Object.entries(routes).map(([key, demand], id) => {
    const [method = '', ...path] = key.split(' ')
    return { id, method, path: path.join(' '), demand }
  })

const keyOf = ({ method, path }: Row) => `${method} ${path.trim()}`

/** Nobody has said anything of it. */
const isNew = ({ method, path, demand }: Row) => method === '*' && path === '' && demand === 'signed-in'

/** Each row by its key. One that is there twice has a blank at its end, which the API refuses: none is lost. */
function keyed(rows: readonly Row[]): Map<string, Row> {
  const all = new Map<string, Row>()
  for (const row of rows.filter((one) => !isNew(one))) {
    let key = keyOf(row)
    while (all.has(key)) key += ' '
    all.set(key, row)
  }
  return all
}

const routesOf = (rows: readonly Row[]): Routes =>
  Object.fromEntries([...keyed(rows)].map(([key, { demand }]) => [key, demand]))

export function RouteTable({
  value,
  onChange,
  wrong,
}: {
  value: Routes
  onChange: (routes: Routes) => void
  wrong: Wrong
}) {
  const { proxied: words } = useWords()
  const [typed, setTyped] = useState(() => rowsOf(value))
  const isTyped = JSON.stringify(routesOf(typed)) === JSON.stringify(value)
  const rows = isTyped ? typed : rowsOf(value)
  const set = (rows: Row[]) => {
    setTyped(rows)
    onChange(routesOf(rows))
  }
  const change = (id: number, changes: Partial<Row>) =>
    set(rows.map((one) => (one.id === id ? { ...one, ...changes } : one)))
  const keys = new Map([...keyed(rows)].map(([key, { id }]) => [id, key]))
  const errorOf = (row: Row) => {
    const key = keys.get(row.id)
    if (key === undefined) return undefined
    return key === keyOf(row) ? wrong(`routes.${key}`) : words.twice
  }
  // What is wrong with no line by itself, such as a permission that is not there.
  const ofRows = [...keys.values()].map((key) => wrong(`routes.${key}`))
  const others = (wrong('routes')?.split('\n') ?? []).filter((one) => !ofRows.includes(one))
  const add = () =>
    set([
      ...rows,
      { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, method: '*', path: '', demand: 'signed-in' },
    ])
  return (
    <div className="route-table">
      <p className="lead">{words.routesHow}</p>
      <Table
        label={words.routes}
        rows={rows}
        id={({ id }) => String(id)}
        columns={[
          {
            title: words.method,
            cell: (row) => (
              <Choice
                aria-label={words.method}
                value={row.method}
                onChange={(method) => change(row.id, { method })}
                data={[...new Set([...methods, row.method])].map((value) => ({
                  value,
                  label: value === '*' ? words.anyMethod : value,
                }))}
              />
            ),
          },
          {
            title: words.path,
            cell: (row) => (
              <Field
                aria-label={words.path}
                value={row.path}
                placeholder="/admin/*"
                spellCheck={false}
                onChange={(path) => change(row.id, { path })}
                error={row.demand === '' ? undefined : errorOf(row)}
              />
            ),
          },
          {
            title: words.demand,
            cell: (row) => (
              <Demand
                demand={row.demand}
                onChange={(demand) => change(row.id, { demand })}
                error={row.demand === '' ? errorOf(row) : undefined}
              />
            ),
          },
          {
            title: words.remove,
            plain: true,
            away: true,
            cell: (row) => (
              <button
                type="button"
                className="quiet"
                aria-label={words.removeLine(`${row.method} ${row.path}`)}
                onClick={() => set(rows.filter(({ id }) => id !== row.id))}
              >
                {words.remove}
              </button>
            ),
          },
        ]}
      />
      {others.map((detail) => (
        <p key={detail} className="wrong" role="alert">
          {detail}
        </p>
      ))}
      <Button variant="default" onClick={add}>
        {words.add}
      </Button>
    </div>
  )
}

function Demand({
  demand,
  onChange,
  error,
}: {
  demand: string
  onChange: (demand: string) => void
  error: string | undefined
}) {
  const { proxied: words, pick } = useWords()
  const kind = demandKind(demand)
  return (
    <>
      <Choice
        aria-label={words.demand}
        value={kind}
        onChange={(kind) => onChange(kind === 'permission' ? '' : kind)}
        data={kinds.map((value) => ({ value, label: words.demands[value] }))}
      />
      {kind === 'permission' && (
        <PermissionPicker
          bare
          label={words.demands.permission}
          hint={pick.permission}
          value={demand || undefined}
          onChange={(code) => onChange(code ?? '')}
          error={error}
        />
      )}
    </>
  )
}

const kinds = ['signed-in', 'public', 'permission'] as const
