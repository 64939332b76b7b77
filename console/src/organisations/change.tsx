import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type DryRun, guarded, type How, useChange } from '../api/change.ts'
import { type Answer, api, type Organisation, type Unit } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Confirm, Dialog } from '../shared/dialog.tsx'
import { Field, fieldsOf, Form } from '../shared/form.tsx'
import { useMe } from '../shared/me.ts'
import { UnitPicker } from '../shared/pickers.tsx'
import { Switch } from '../shared/removal.tsx'

/** An organisation or one of its units, and the version in which it was read. */
export interface UnitPlace {
  organisation: Organisation
  unit?: Unit
  tag: string
}

const thingOf = ({ organisation, unit }: UnitPlace) => unit ?? organisation

/** What a change says of what it changes: a file manages an organisation with its units. */
function asked({ organisation, unit, tag }: UnitPlace, { query }: Pick<How, 'query'>) {
  const header = guarded(tag, organisation.managed_by)
  return { path: { uuid: (unit ?? organisation).uuid }, query, header }
}

const patch = (
  at: UnitPlace,
  body: { name?: string; active?: boolean },
  how: Pick<How, 'query'>,
): Promise<Answer<Organisation | Unit | DryRun>> =>
  at.unit === undefined
    ? api.PATCH('/admin/v1/organisations/{uuid}', { params: asked(at, how), body })
    : api.PATCH('/admin/v1/units/{uuid}', { params: asked(at, how), body })

/** What somebody else made of it meanwhile is shown before it is replaced. */
export function Rename({ at }: { at: UnitPlace }) {
  const { organisation: words, change: shared } = useWords()
  const { name } = thingOf(at)
  const [typed, setTyped] = useState<string>()
  const change = useChange(
    (name: string, how) => patch(at, { name }, how),
    () => setTyped(undefined),
  )
  const open = () => {
    change.reset()
    setTyped(name)
  }
  const error = change.isOutdated ? undefined : change.error
  return (
    <>
      <Button variant="default" onClick={open}>
        {words.rename}
      </Button>
      <Dialog
        title={words.renameTitle(name)}
        opened={typed !== undefined}
        onClose={() => setTyped(undefined)}
      >
        <Form
          sent={{ error, isPending: change.isPending }}
          submit={() => change.mutate(typed ?? '')}
          label={words.save}
          disabled={typed?.trim() === ''}
        >
          {at.organisation.managed_by && (
            <p className="notice warn">{shared.override(at.organisation.managed_by)}</p>
          )}
          {change.isOutdated && (
            <p className="notice warn" role="alert">
              {words.renamed(name)}
            </p>
          )}
          <Field
            label={words.name}
            value={typed ?? ''}
            onChange={setTyped}
            error={fieldsOf(error).name}
            data-autofocus
          />
        </Form>
      </Dialog>
    </>
  )
}

export function Disable({ at }: { at: UnitPlace }) {
  const { organisation: words } = useWords()
  const { name, active, uuid } = thingOf(at)
  const disableWhat = at.unit === undefined ? words.disableWhat : words.disableUnitWhat
  return (
    <Switch
      words={{ ...words, disableWhat }}
      {...{ name, active }}
      file={at.organisation.managed_by}
      what={[uuid, at.tag]}
      ask={(body, how) => patch(at, body, how)}
    />
  )
}

export function Move({ at, unit }: { at: UnitPlace; unit: Unit }) {
  const { organisation: words } = useWords()
  const { organisation_unit_uuid: own } = useMe().reach
  const [parent, setParent] = useState<string | null>(unit.parent_uuid)
  return (
    <Confirm
      label={words.move}
      title={words.moveTitle(unit.name)}
      file={at.organisation.managed_by}
      what={['move', unit.uuid, at.tag, parent]}
      ask={(how) =>
        api.PATCH('/admin/v1/units/{uuid}', { params: asked(at, how), body: { parent_uuid: parent } })
      }
    >
      <p>{words.moveWhat}</p>
      <UnitPicker
        label={words.moveTo}
        organisation={unit.organisation_uuid}
        value={parent ?? undefined}
        onChange={(chosen) => setParent(chosen ?? null)}
        {...(own === null && { hint: words.moveTop })}
      />
    </Confirm>
  )
}

/** Removes it, and shows what it was within. */
export function Remove({ at }: { at: UnitPlace }) {
  const { organisation: words, change } = useWords()
  const navigate = useNavigate()
  const { unit, organisation } = at
  const { name, uuid } = thingOf(at)
  const goUp = () => {
    const within = { uuid: organisation.uuid }
    if (unit === undefined) return navigate({ to: '/organisations' })
    if (unit.parent_uuid === null) return navigate({ to: '/organisations/$uuid', params: within })
    const params = { ...within, unit: unit.parent_uuid }
    return navigate({ to: '/organisations/$uuid/units/$unit', params })
  }
  return (
    <Confirm
      label={words.remove}
      title={change.removeTitle(name)}
      danger
      file={organisation.managed_by}
      name={name}
      what={['remove', uuid, at.tag]}
      ask={(how) =>
        unit === undefined
          ? api.DELETE('/admin/v1/organisations/{uuid}', { params: asked(at, how) })
          : api.DELETE('/admin/v1/units/{uuid}', { params: asked(at, how) })
      }
      done={() => void goUp()}
    >
      <p>{unit === undefined ? words.removeWhat : words.removeUnitWhat}</p>
    </Confirm>
  )
}
