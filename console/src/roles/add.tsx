import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Add } from '../shared/add.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Picked } from '../shared/picked.tsx'
import { PermissionPicker } from '../shared/pickers.tsx'

/** For administrators of the whole installation, as the API has it. */
export function AddRole() {
  const { role: words, organisation } = useWords()
  const may = useMay()
  const navigate = useNavigate()
  const { kind } = useMe().reach
  const [permissions, setPermissions] = useState<string[]>([])
  if (!may('iam.roles.create') || kind !== 'installation') return null
  return (
    <Add<Role>
      label={words.add}
      title={words.add}
      codeHow={organisation.codeHow}
      ask={(named, { query, key }) =>
        api.POST('/admin/v1/roles', {
          params: { query, header: { 'Idempotency-Key': key } },
          body: { ...named, permissions },
        })
      }
      done={({ code }) => void navigate({ to: '/roles/$code', params: { code } })}
    >
      <Picked label={words.gives} values={permissions} onChange={setPermissions}>
        {(add) => (
          <PermissionPicker
            label={words.gives}
            description={words.givesHow}
            value={undefined}
            onChange={add}
          />
        )}
      </Picked>
    </Add>
  )
}
