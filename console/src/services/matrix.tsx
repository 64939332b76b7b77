import './matrix.css'
import { useMediaQuery } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type Role, type Service, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Choice } from '../shared/form.tsx'
import { Search } from '../shared/list.tsx'
import { useMay, useMe, usePlaceName } from '../shared/me.ts'
import { usePermissions } from '../shared/permissions.ts'
import { RolePicker } from '../shared/pickers.tsx'
import { Empty, Refused, Waiting } from '../shared/state.tsx'
import { TryOut } from '../shared/try-out.tsx'
import { Draft } from './matrix-draft.tsx'
import { Grid } from './matrix-grid.tsx'
import { type Cells, changesOf } from './cells.ts'
import { useGivingRoles } from './gives.tsx'

/** How many roles stand beside each other at first; others are picked. */
const most = 8

/** The roles of one service beside each other. What is ticked is one draft, tried out and saved together. */
export function Matrix({ service: { code } }: { service: Service }) {
  const { matrix: words, service } = useWords()
  const permissions = usePermissions(code)
  const { data: giving, error } = useGivingRoles(code)
  const [picked, setPicked] = useState<string[]>([])
  const [search, setSearch] = useState('')
  const [cells, setCells] = useState<Cells>({})
  const shown = [...new Set([...(giving ?? []).slice(0, most).map((one) => one.code), ...picked])]
  const roles = useRoles(shown)
  const isNarrow = useMediaQuery('(width < 640px)') ?? false
  const [one, setOne] = useState<string>()
  const failed = error ?? permissions.error
  if (failed) return <Refused error={failed} />
  if (permissions.data === undefined || giving === undefined) return <Waiting />
  if (permissions.data.length === 0) return <Empty title={service.noPermission} />
  const found = permissions.data.filter((row) =>
    `${row.code} ${row.description}`.toLowerCase().includes(search.trim().toLowerCase()),
  )
  const chosen = roles.find(({ data }) => data.code === one) ?? roles[0]
  return (
    <>
      <WhyNot />
      <TryOut />
      <div className="filters">
        <Search label={words.search} hint={words.searchHint} value={search} onChange={setSearch} />
        <RolePicker
          bare
          label={words.addRole}
          hint={words.addRole}
          value={undefined}
          onChange={(added) => {
            if (added === undefined) return
            setPicked((before) => [...before, added])
            setOne(added)
          }}
        />
      </div>
      {giving.length > most && <p className="soft">{words.others(giving.length - most)}</p>}
      {isNarrow && chosen && (
        <Choice
          label={words.role}
          value={chosen.data.code}
          data={roles.map(({ data }) => ({ value: data.code, label: data.name }))}
          onChange={setOne}
        />
      )}
      <div className="beside">
        <Grid
          permissions={found}
          roles={isNarrow && chosen ? [chosen] : roles}
          cells={cells}
          onChange={setCells}
        />
        <Draft changes={changesOf(roles, cells)} cells={cells} onChange={setCells} />
      </div>
    </>
  )
}

/** Each with its tag, in the order asked for; those that are not there yet are left out. */
function useRoles(codes: readonly string[]): Tagged<Role>[] {
  return useQueries({
    queries: codes.map((code) => ({
      queryKey: ['role', code, 'tagged'],
      queryFn: () => withTag(api.GET('/admin/v1/roles/{code}', { params: { path: { code } } })),
    })),
  }).flatMap(({ data }) => (data === undefined ? [] : [data]))
}

/** Why nothing can be ticked. */
function WhyNot() {
  const { role } = useWords()
  const { reach } = useMe()
  const may = useMay()
  const placeName = usePlaceName()
  if (reach.kind !== 'installation') return <p className="lead">{role.ofInstallation(placeName(reach))}</p>
  return may('iam.roles.update') ? null : <p className="lead">{role.readOnly}</p>
}
