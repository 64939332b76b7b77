import { useState } from 'react'
import { useWords } from '../messages/messages.tsx'
import { Until } from '../shared/until.tsx'
import { useMe } from '../shared/me.ts'
import { OrganisationPicker, RolePicker, UnitPicker } from '../shared/pickers.tsx'
import { Name } from '../shared/text.tsx'

/** What somebody is to be able to do: a role, where, and until when. */
export interface Given {
  role: string | undefined
  organisation: string | undefined
  unit: string | undefined
  /** Empty: without an end. */
  until: string
}

/** The place is one's own at first. */
export function useGiven() {
  const { reach } = useMe()
  return useState<Given>({
    role: undefined,
    organisation: reach.organisation_uuid ?? undefined,
    unit: reach.organisation_unit_uuid ?? undefined,
    until: '',
  })
}

/** A profile, for the API. */
export const asProfile = ({ role, organisation, unit, until }: Given) => ({
  role_code: role ?? '',
  organisation_uuid: organisation ?? null,
  organisation_unit_uuid: unit ?? null,
  expires_at: until || null,
})

export function GivenFields({
  given,
  onChange,
  refused,
  ends = true,
}: {
  given: Given
  onChange: (given: Given) => void
  /** What is wrong with which field of a profile. */
  refused: (
    field: 'role_code' | 'organisation_uuid' | 'organisation_unit_uuid' | 'expires_at',
  ) => string | undefined
  /** False: when it ends is not asked. */
  ends?: boolean
}) {
  const { profile, person } = useWords()
  const { reach } = useMe()
  const { role, organisation, unit, until } = given
  return (
    <div className="fields">
      <RolePicker
        label={profile.role}
        value={role}
        error={refused('role_code')}
        onChange={(role) => onChange({ ...given, role })}
      />
      {reach.organisation_name === null ? (
        <OrganisationPicker
          label={profile.organisation}
          hint={person.everywhere}
          value={organisation}
          error={refused('organisation_uuid')}
          onChange={(organisation) => onChange({ ...given, organisation, unit: undefined })}
        />
      ) : (
        <p className="stands">
          <span>{profile.organisation}</span>
          <Name>{reach.organisation_name}</Name>
        </p>
      )}
      {role !== undefined && organisation === undefined && (
        <p className="notice warn">{profile.everywhere}</p>
      )}
      {organisation !== undefined && (
        <UnitPicker
          organisation={organisation}
          label={profile.unit}
          hint={profile.allUnits}
          value={unit}
          error={refused('organisation_unit_uuid')}
          onChange={(unit) => onChange({ ...given, unit })}
        />
      )}
      {ends && (
        <Until
          label={profile.until}
          value={until}
          error={refused('expires_at')}
          onChange={(until) => onChange({ ...given, until })}
        />
      )}
    </div>
  )
}
