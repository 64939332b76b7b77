import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, type Role } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Add } from '../shared/add.tsx'
import { Choice } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { useAllPermissions } from './all.ts'
import { Choose } from './choose.tsx'
import { templatesOf } from './templates.ts'

/** The installation's administrators alone add roles, as in the API. */
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
      size="lg"
      codeHow={organisation.codeHow}
      ask={(named, { query, key }) =>
        api.POST('/admin/v1/roles', {
          params: { query, header: { 'Idempotency-Key': key } },
          body: { ...named, permissions },
        })
      }
      done={({ code }) => void navigate({ to: '/roles/$code', params: { code } })}
    >
      {(wrong) => (
        <>
          <Begin onChange={setPermissions} />
          <Choose values={permissions} onChange={setPermissions} error={wrong('permissions', permissions)} />
        </>
      )}
    </Add>
  )
}

/** A template ticks what it proposes, below, where all of it is seen and can be changed. */
function Begin({ onChange }: { onChange: (permissions: string[]) => void }) {
  const { role: words } = useWords()
  const [chosen, setChosen] = useState('')
  const { data = [] } = useAllPermissions()
  const templates = templatesOf(data.map(({ code }) => code))
  const choose = (index: string) => {
    setChosen(index)
    onChange(index === '' ? [] : (templates[Number(index)]?.permissions ?? []))
  }
  return (
    <Choice
      label={words.begin}
      description={words.beginHow}
      value={chosen}
      data={[
        { value: '', label: words.beginEmpty },
        ...templates.map(({ kind, service }, index) => ({
          value: String(index),
          label: words.templates[kind](service),
        })),
      ]}
      onChange={choose}
    />
  )
}
