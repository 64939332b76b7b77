import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { answered, api, type Client } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useAccess } from '../shared/access.ts'
import type { Tagged } from '../shared/conflict.tsx'
import { Choice } from '../shared/form.tsx'
import { PersonPicker } from '../shared/pickers.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Claims } from './claims.tsx'
import { Scopes, scopesOf } from './fields.tsx'

/** What its tokens would say: of somebody under one of their profiles, or of a machine by itself. */
export function Preview({ data: client }: Tagged<Client>) {
  const { preview: words } = useWords()
  const isMachine = client.type === 'machine'
  const [user, setUser] = useState<string>()
  const [profile, setProfile] = useState<string>()
  const [scope, setScope] = useState(client.scope)
  const choose = (uuid: string | undefined) => {
    setUser(uuid)
    setProfile(undefined)
  }
  if (isMachine)
    return (
      <>
        <p className="lead">{words.leadMachine}</p>
        <Documents client={client} asked={{}} />
      </>
    )
  return (
    <>
      <p className="lead">{words.lead}</p>
      <section className="card preview">
        <div>
          <PersonPicker label={words.person} value={user} onChange={choose} />
          {user && <Profiles key={user} user={user} value={profile} onChange={setProfile} />}
        </div>
        <Scopes only={scopesOf(client.scope)} scope={scope} onChange={setScope} />
      </section>
      {user && profile ? (
        <Documents client={client} asked={{ user_uuid: user, profile_uuid: profile, scope }} />
      ) : (
        !user && <Empty title={words.choose}>{words.chooseHow}</Empty>
      )}
    </>
  )
}

/** The first is chosen: many people have one. */
export function Profiles({
  user,
  value,
  onChange,
}: {
  user: string
  value: string | undefined
  onChange: (uuid: string) => void
}) {
  const { preview: words } = useWords()
  const { asked, place } = useAccess(user)
  const profiles = asked.data?.profiles ?? []
  const [first] = profiles
  useEffect(() => {
    if (value === undefined && first !== undefined) onChange(first.profile_uuid)
  }, [value, first, onChange])
  return (
    <Shown asked={asked}>
      {() =>
        profiles.length === 0 ? (
          <p className="notice warn">{words.noProfile}</p>
        ) : (
          <Choice
            label={words.profile}
            value={value ?? ''}
            onChange={onChange}
            data={profiles.map((one) => ({
              value: one.profile_uuid,
              label: `${one.role_name} · ${place(one)}`,
            }))}
          />
        )
      }
    </Shown>
  )
}

function Documents({
  client: { client_id: id },
  asked: body,
}: {
  client: Client
  asked: { user_uuid?: string; profile_uuid?: string; scope?: string }
}) {
  const asked = useQuery({
    queryKey: ['application', id, 'preview', body],
    retry: false,
    queryFn: () =>
      answered(
        api.POST('/admin/v1/clients/{client_id}/preview', { params: { path: { client_id: id } }, body }),
      ),
  })
  return <Shown asked={asked}>{(preview) => <Claims of={preview} />}</Shown>
}
