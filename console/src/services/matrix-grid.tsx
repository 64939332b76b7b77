import { Link } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import type { Permission as Shape, Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Permission } from '../shared/permission.tsx'
import { Empty } from '../shared/state.tsx'
import { Badge, Name } from '../shared/text.tsx'
import { type Cells, cellOf, givesAll, ticked } from './cells.ts'

interface Ticked {
  cells: Cells
  onChange: (cells: Cells) => void
}

/** Permissions by roles. Arrows go from cell to cell. */
export function Grid({
  permissions,
  roles,
  ...ticks
}: { permissions: readonly Shape[]; roles: readonly Tagged<Role>[] } & Ticked) {
  const { matrix: words, pick } = useWords()
  if (permissions.length === 0) return <Empty title={pick.nothing} />
  return (
    <div className="matrix" role="region" aria-label={words.title} tabIndex={0}>
      <table aria-label={words.title} onKeyDown={goTo}>
        <thead>
          <tr>
            <th scope="col">{words.permission}</th>
            {roles.map(({ data: { code, name, active, managed_by: file } }) => (
              <th key={code} scope="col">
                <Link to="/roles/$code" params={{ code }}>
                  <Name>{name}</Name>
                </Link>
                {!active && <State tone="bad" />}
                {file && <small className="soft">{file}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {permissions.map((permission) => (
            <tr key={permission.code}>
              <th scope="row">
                <Name>{permission.description || permission.code}</Name>
                <br />
                <Permission code={permission.code} />
              </th>
              {roles.map((role) => (
                <Cell key={role.data.code} {...{ role, permission, ...ticks }} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function State({ tone }: { tone: 'bad' }) {
  const { status } = useWords()
  return <Badge tone={tone}>{status.disabled}</Badge>
}

function Cell({
  role,
  permission: { code },
  cells,
  onChange,
}: { role: Tagged<Role>; permission: Shape } & Ticked) {
  const { matrix: words, yes, no } = useWords()
  const may = useMay()
  const { kind } = useMe().reach
  const { was, is } = cellOf(role, code, cells)
  const mark = is === was ? undefined : is ? 'added' : 'taken'
  if (kind !== 'installation' || !may('iam.roles.update'))
    return (
      <td>
        <span aria-hidden="true">{is ? '✓' : '–'}</span>
        <span className="away">{is ? yes : no}</span>
      </td>
    )
  return (
    <td className={mark}>
      <label>
        <input
          type="checkbox"
          aria-label={`${role.data.name}: ${code}`}
          checked={is}
          disabled={givesAll(role.data.permissions, code)}
          title={givesAll(role.data.permissions, code) ? words.byAll : undefined}
          onChange={({ currentTarget }) => onChange(ticked(cells, role, code, currentTarget.checked))}
        />
        {mark && <span aria-hidden="true">{is ? '+' : '−'}</span>}
      </label>
    </td>
  )
}

const steps: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** The cell beside the one that has the focus. */
function goTo(event: KeyboardEvent<HTMLTableElement>) {
  const step = steps[event.key]
  const cell = event.target instanceof HTMLInputElement ? event.target.closest('td') : null
  const row = cell?.closest('tr')
  if (step === undefined || cell === null || !row) return
  const [down, right] = step
  const next = event.currentTarget.rows[row.rowIndex + down]?.cells[cell.cellIndex + right]
  const box = next?.querySelector('input')
  if (!box) return
  event.preventDefault()
  box.focus()
}
