import { Button } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { guarded, isOutdated, useChange, useTried } from '../api/change.ts'
import { api, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Effect } from '../shared/effect.tsx'
import { Refused } from '../shared/state.tsx'
import { Name } from '../shared/text.tsx'
import type { Cells, RoleChange } from './cells.ts'

const ask = ({ role: { data, tag }, permissions }: RoleChange, query: { dry_run?: 'true' }) =>
  api.PATCH('/admin/v1/roles/{code}', {
    params: { path: { code: data.code }, query, header: guarded(tag, data.managed_by) },
    body: { permissions },
  })

/** What the ticks would do, role by role, and one save of all. What was saved stays said, what failed too. */
export function Draft({
  changes,
  cells,
  onChange,
}: {
  changes: readonly RoleChange[]
  cells: Cells
  onChange: (cells: Cells) => void
}) {
  const { matrix: words, settings, change: shared } = useWords()
  const [saved, setSaved] = useState<readonly string[]>([])
  const [failed, setFailed] = useState<Readonly<Record<string, unknown>>>({})
  const change = useChange<RoleChange, Role>((one, { query }) => ask(one, query))
  const save = async () => {
    setSaved([])
    setFailed({})
    let left = cells
    // One after the other: each is a change of its own, and the next is sent though one was refused.
    for (const one of changes) {
      const { code, name } = one.role.data
      try {
        await change.mutateAsync(one)
        const { [code]: _, ...others } = left
        left = others
        onChange(left)
        setSaved((before) => [...before, name])
      } catch (error) {
        setFailed((before) => ({ ...before, [code]: error }))
      }
    }
  }
  if (changes.length === 0 && saved.length === 0) return null
  return (
    <section className="card draft" aria-label={words.draft}>
      <h2>{changes.length === 0 ? words.done : words.count(changes.length)}</h2>
      {saved.length > 0 && (
        <p className="soft" role="status">
          {words.saved(saved.join(', '))}
        </p>
      )}
      {[...new Set(changes.map(({ role }) => role.data.managed_by))].map(
        (file) =>
          file && (
            <p key={file} className="notice warn">
              {shared.override(file)}
            </p>
          ),
      )}
      {changes.map((one) => (
        <One key={one.role.data.code} change={one} error={failed[one.role.data.code]} />
      ))}
      {changes.length > 0 && (
        <div className="buttons">
          <Button
            variant="default"
            disabled={change.isPending}
            onClick={() => {
              onChange({})
              setFailed({})
            }}
          >
            {settings.discard}
          </Button>
          <Button loading={change.isPending} onClick={() => void save()}>
            {settings.save}
          </Button>
        </div>
      )}
    </section>
  )
}

function One({ change, error }: { change: RoleChange; error: unknown }) {
  const { change: words } = useWords()
  const { data, tag } = change.role
  const [permissions] = useDebouncedValue(change.permissions, 300)
  const tried = useTried(['matrix', data.code, tag, permissions], ({ query }) =>
    ask({ ...change, permissions }, query),
  )
  return (
    <div className="one">
      <h3>
        <Name>{data.name}</Name>
      </h3>
      <Effect of={tried.data} />
      {error === undefined ? (
        tried.error && !isOutdated(tried.error) && <Refused error={tried.error} />
      ) : isOutdated(error) ? (
        <p className="notice warn" role="alert">
          {words.outdated}
        </p>
      ) : (
        <Refused error={error} />
      )}
    </div>
  )
}
