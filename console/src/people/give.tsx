import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { guarded, overriding } from '../api/change.ts'
import { api, type User, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Profile } from '../shared/access.ts'
import { Confirm, Confirmation, Opening } from '../shared/dialog.tsx'
import { Until } from '../shared/until.tsx'
import { useMay } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'
import { asProfile, GivenFields, useGiven } from './given.tsx'

/** Gives somebody a profile; what they would gain is shown before. Absent for those who may give none. */
export function Give({ user }: { user: User }) {
  const { profile } = useWords()
  const may = useMay()
  if (!may('iam.profiles.create') || !may('iam.roles.read')) return null
  return (
    <Opening primary label={profile.give} title={profile.giveTitle(user.name)}>
      {(close) => <Giving user={user} close={close} />}
    </Opening>
  )
}

function Giving({ user: { uuid, managed_by: file }, close }: { user: User; close: () => void }) {
  const { profile } = useWords()
  const [given, setGiven] = useGiven()
  const body = { user_uuid: uuid, ...asProfile(given) }
  return (
    <Confirmation
      label={profile.give}
      what={['give', body]}
      file={file}
      close={close}
      done={close}
      ask={
        given.role === undefined
          ? undefined
          : ({ query, key }) =>
              api.POST('/admin/v1/profiles', {
                params: { query, header: { ...(key && { 'Idempotency-Key': key }), ...overriding(file) } },
                body,
              })
      }
    >
      {(refused) => <GivenFields given={given} onChange={setGiven} refused={(field) => refused[field]} />}
    </Confirmation>
  )
}

interface Held {
  user: User
  profile: Profile & { place: string }
}

export function TakeAway({ user: { name, managed_by: file }, profile: held }: Held) {
  const { profile } = useWords()
  const uuid = held.profile_uuid
  return (
    <Confirm
      quiet
      danger
      label={profile.take}
      title={profile.takeTitle(held.role_name, name)}
      file={file}
      what={['profile', uuid]}
      ask={({ query }) =>
        api.DELETE('/admin/v1/profiles/{uuid}', {
          params: { path: { uuid }, query, header: overriding(file) },
        })
      }
    >
      <p>{profile.takeWhat(held.place)}</p>
    </Confirm>
  )
}

/** Lets a profile end at another time, or never. */
export function ChangeEnd({ user, profile: held }: Held) {
  const { profile } = useWords()
  return (
    <Opening quiet label={profile.changeEnd} title={profile.endTitle(held.role_name, user.name)}>
      {(close) => <AsItIs user={user} uuid={held.profile_uuid} close={close} />}
    </Opening>
  )
}

function AsItIs({ user, uuid, close }: { user: User; uuid: string; close: () => void }) {
  const asked = useQuery({
    queryKey: ['profile', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/profiles/{uuid}', { params: { path: { uuid } } })),
  })
  return (
    <Shown asked={asked}>
      {({ data, tag }) => <Ending user={user} uuid={uuid} tag={tag} end={data.expires_at} close={close} />}
    </Shown>
  )
}

function Ending({
  user: { managed_by: file },
  uuid,
  tag,
  end,
  close,
}: {
  user: User
  uuid: string
  tag: string
  end: string | null
  close: () => void
}) {
  const { profile } = useWords()
  const [until, setUntil] = useState(end ?? '')
  return (
    <Confirmation
      label={profile.saveEnd}
      what={['profile', uuid, tag, until]}
      file={file}
      close={close}
      done={close}
      ask={
        until === (end ?? '')
          ? undefined
          : ({ query }) =>
              api.PATCH('/admin/v1/profiles/{uuid}', {
                params: { path: { uuid }, query, header: guarded(tag, file) },
                body: { expires_at: until || null },
              })
      }
    >
      {(refused) => (
        <Until label={profile.until} value={until} onChange={setUntil} error={refused['expires_at']} />
      )}
    </Confirmation>
  )
}
