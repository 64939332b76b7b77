import { Button } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { useAccess } from '../shared/access.ts'
import { Choice } from '../shared/form.tsx'
import { useMay, useMe } from '../shared/me.ts'
import {
  ApplicationPicker,
  OrganisationPicker,
  PermissionPicker,
  PersonPicker,
  RolePicker,
  UnitPicker,
} from '../shared/pickers.tsx'
import { Name } from '../shared/text.tsx'
import { type Disablable, disablable, type Drafted } from './drafted.ts'

type Kind = Drafted['kind']

/** What is chosen so far; empty: nothing. */
interface Chosen {
  user: string
  role: string
  organisation: string
  unit: string
  profile: string
  permission: string
  what: Disablable
  id: string
}

const nothing: Chosen = {
  ...{ user: '', role: '', organisation: '', unit: '', profile: '', permission: '' },
  ...{ what: 'users', id: '' },
}

/** The kinds of changes that somebody may make, and what of them is disabled. */
function useKinds(): { kinds: Kind[]; things: Disablable[] } {
  const may = useMay()
  const { reach } = useMe()
  const isWhole = reach.kind === 'installation'
  const ofWhole: readonly Disablable[] = ['roles', 'organisations']
  const things = disablable.filter(
    (one) =>
      may(`iam.${one}.update`) &&
      may(`iam.${one}.read`) &&
      (isWhole || !ofWhole.includes(one)) &&
      (one !== 'clients' || reach.kind !== 'unit'),
  )
  const allowed: Readonly<Record<Kind, boolean>> = {
    give: may('iam.profiles.create') && may('iam.users.read') && may('iam.roles.read'),
    end: may('iam.profiles.delete') && may('iam.users.read'),
    disable: things.length > 0,
    adds: isWhole && may('iam.roles.update') && may('iam.permissions.read'),
    takes: isWhole && may('iam.roles.update') && may('iam.permissions.read'),
  }
  return { kinds: (Object.keys(allowed) as Kind[]).filter((one) => allowed[one]), things }
}

/** A change as it is chosen; undefined: it is not complete yet. */
function draftedOf(kind: Kind, chosen: Chosen): Drafted | undefined {
  const { user, role, organisation, unit, profile, permission, what, id } = chosen
  if (kind === 'give') return user && role ? { kind, user, role, organisation, unit } : undefined
  if (kind === 'end') return user && profile ? { kind, user, profile } : undefined
  if (kind === 'disable') return id ? { kind, what, id } : undefined
  return role && permission ? { kind, role, permission } : undefined
}

/** A form that puts one change into the draft. */
export function AddToDraft({ add, full }: { add: (one: Drafted) => void; full: boolean }) {
  const { whatIf } = useWords()
  const { kinds, things } = useKinds()
  const { reach } = useMe()
  const begun: Chosen = {
    ...nothing,
    organisation: reach.organisation_uuid ?? '',
    unit: reach.organisation_unit_uuid ?? '',
    what: things[0] ?? 'users',
  }
  const [kind, setKind] = useState<Kind>(kinds[0] ?? 'give')
  const [chosen, setChosen] = useState(begun)
  const drafted = draftedOf(kind, chosen)
  if (kinds.length === 0) return <p className="soft">{whatIf.mayNothing}</p>
  return (
    <form
      className="fields"
      aria-label={whatIf.add}
      onSubmit={(event) => {
        event.preventDefault()
        if (drafted === undefined || full) return
        add(drafted)
        // The place stays: several changes are often about one.
        setChosen({ ...begun, organisation: chosen.organisation, what: chosen.what })
      }}
    >
      <Choice
        label={whatIf.kind}
        value={kind}
        data={kinds.map((value) => ({ value, label: whatIf.kinds[value] }))}
        onChange={(value) => setKind(kinds.find((one) => one === value) ?? kind)}
      />
      <Fields kind={kind} chosen={chosen} things={things} set={(more) => setChosen({ ...chosen, ...more })} />
      {full && <p className="soft">{whatIf.full}</p>}
      <div className="buttons">
        <Button type="submit" variant="default" disabled={drafted === undefined || full}>
          {whatIf.add}
        </Button>
      </div>
    </form>
  )
}

interface FieldsProps {
  kind: Kind
  chosen: Chosen
  things: readonly Disablable[]
  set: (more: Partial<Chosen>) => void
}

function Fields(props: FieldsProps) {
  const { kind } = props
  if (kind === 'give') return <Giving {...props} />
  if (kind === 'end') return <Ending {...props} />
  if (kind === 'disable') return <Disabling {...props} />
  return <OfRole {...props} />
}

function Giving({ chosen, set }: FieldsProps) {
  const { whatIf, profile, person } = useWords()
  const { reach } = useMe()
  const { user, role, organisation, unit } = chosen
  return (
    <>
      <PersonPicker
        label={whatIf.person}
        value={user || undefined}
        onChange={(one) => set({ user: one ?? '' })}
      />
      <RolePicker
        label={profile.role}
        value={role || undefined}
        onChange={(one) => set({ role: one ?? '' })}
      />
      {reach.organisation_name === null ? (
        <OrganisationPicker
          label={profile.organisation}
          hint={person.everywhere}
          value={organisation || undefined}
          onChange={(one) => set({ organisation: one ?? '', unit: '' })}
        />
      ) : (
        <p className="stands">
          <span>{profile.organisation}</span>
          <Name>{reach.organisation_name}</Name>
        </p>
      )}
      {organisation !== '' && (
        <UnitPicker
          organisation={organisation}
          label={profile.unit}
          hint={profile.allUnits}
          value={unit || undefined}
          onChange={(one) => set({ unit: one ?? '' })}
        />
      )}
    </>
  )
}

function Ending({ chosen, set }: FieldsProps) {
  const { whatIf } = useWords()
  const { user } = chosen
  return (
    <>
      <PersonPicker
        label={whatIf.person}
        value={user || undefined}
        onChange={(one) => set({ user: one ?? '', profile: '' })}
      />
      {user !== '' && <HeldProfile key={user} {...{ user, chosen, set }} />}
    </>
  )
}

function HeldProfile({ user, chosen, set }: Pick<FieldsProps, 'chosen' | 'set'> & { user: string }) {
  const { whatIf } = useWords()
  const { asked, place } = useAccess(user)
  const held = asked.data?.profiles ?? []
  if (asked.data !== undefined && held.length === 0) return <p className="soft">{whatIf.noProfile}</p>
  return (
    <Choice
      label={whatIf.profile}
      value={chosen.profile}
      data={[
        { value: '', label: '–' },
        ...held.map((one) => ({ value: one.profile_uuid, label: `${one.role_name}, ${place(one)}` })),
      ]}
      onChange={(profile) => set({ profile })}
    />
  )
}

function Disabling({ chosen, things, set }: FieldsProps) {
  const { whatIf } = useWords()
  const { reach } = useMe()
  const { what, id, organisation } = chosen
  const field = {
    label: whatIf.things[what],
    value: id || undefined,
    onChange: (one: string | undefined) => set({ id: one ?? '' }),
  }
  return (
    <>
      <Choice
        label={whatIf.what}
        value={what}
        data={things.map((value) => ({ value, label: whatIf.things[value] }))}
        onChange={(value) => set({ what: things.find((one) => one === value) ?? what, id: '' })}
      />
      {what === 'users' && <PersonPicker {...field} />}
      {what === 'roles' && <RolePicker {...field} />}
      {what === 'organisations' && <OrganisationPicker {...field} />}
      {what === 'clients' && <ApplicationPicker {...field} />}
      {what === 'units' && reach.organisation_uuid === null && (
        <OrganisationPicker
          label={whatIf.things.organisations}
          value={organisation || undefined}
          onChange={(one) => set({ organisation: one ?? '', id: '' })}
        />
      )}
      {what === 'units' && organisation !== '' && <UnitPicker organisation={organisation} {...field} />}
    </>
  )
}

function OfRole({ chosen, set }: FieldsProps) {
  const { profile, why } = useWords()
  const { role, permission } = chosen
  return (
    <>
      <RolePicker
        label={profile.role}
        value={role || undefined}
        onChange={(one) => set({ role: one ?? '' })}
      />
      <PermissionPicker
        label={why.permission}
        value={permission || undefined}
        onChange={(one) => set({ permission: one ?? '' })}
      />
    </>
  )
}
