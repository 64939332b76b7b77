import { useNavigate } from '@tanstack/react-router'
import { overriding } from '../api/change.ts'
import { api, type Organisation, type Unit } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Add } from '../shared/add.tsx'
import { useMay, useMe } from '../shared/me.ts'
import type { UnitPlace } from './change.tsx'

export function AddOrganisation() {
  const { organisation: words } = useWords()
  const may = useMay()
  const navigate = useNavigate()
  if (!may('iam.organisations.create') || useMe().reach.kind !== 'installation') return null
  return (
    <Add<Organisation>
      label={words.add}
      title={words.add}
      codeHow={words.codeHow}
      ask={(body, { query, key }) =>
        api.POST('/admin/v1/organisations', { params: { query, header: { 'Idempotency-Key': key } }, body })
      }
      done={({ uuid }) => void navigate({ to: '/organisations/$uuid', params: { uuid } })}
    />
  )
}

/** A unit of an organisation, below one of its units where that is looked at. */
export function AddUnit({ at: { organisation, unit } }: { at: UnitPlace }) {
  const { organisation: words, change } = useWords()
  const navigate = useNavigate()
  const { uuid, name, managed_by: file } = organisation
  const own = useMe().reach.organisation_unit_uuid
  return (
    <Add<Unit>
      label={words.addUnit}
      title={unit === undefined ? words.addUnitIn(name) : words.addUnitBelow(unit.name)}
      codeHow={own === null ? words.codeHow : words.codeOfUnit}
      ask={(named, { query, key }) =>
        api.POST('/admin/v1/units', {
          params: { query, header: { 'Idempotency-Key': key, ...overriding(file) } },
          body: { ...named, organisation_uuid: uuid, ...(unit && { parent_uuid: unit.uuid }) },
        })
      }
      done={(made) =>
        void navigate({ to: '/organisations/$uuid/units/$unit', params: { uuid, unit: made.uuid } })
      }
    >
      {file && <p className="notice warn">{change.override(file)}</p>}
    </Add>
  )
}
