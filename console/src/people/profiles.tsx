import type { User } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { type Profile, useAccess } from '../shared/access.ts'
import { Chain } from '../shared/chain.tsx'
import { useMay } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { Permission } from '../shared/permission.tsx'
import { Badge, Name, useTimeWriter } from '../shared/text.tsx'
import { ChangeEnd, Give, TakeAway } from './give.tsx'

/** What somebody may do and through what: each profile with its place, its end and its permissions. */
export function Profiles({ user }: { user: User }) {
  const { person } = useWords()
  const { asked, place } = useAccess(user.uuid)
  return (
    <Shown asked={asked}>
      {({ profiles }) =>
        profiles.length === 0 ? (
          <Empty title={person.noProfile} action={<Give user={user} />}>
            {person.noProfileHow}
          </Empty>
        ) : (
          <>
            {profiles.map((one) => (
              <Card key={one.profile_uuid} user={user} profile={{ ...one, place: place(one) }} />
            ))}
            <Give user={user} />
          </>
        )
      }
    </Shown>
  )
}

function Card({ user, profile }: { user: User; profile: Profile & { place: string } }) {
  const { person, status } = useWords()
  const may = useMay()
  const written = useTimeWriter()
  const {
    role_name: role,
    role_code: code,
    place,
    expires_at: end,
    usable,
    chain,
    permissions,
    complete,
  } = profile
  return (
    <section className="card">
      <div className="line">
        <div>
          <h2>
            <Name>{role}</Name>
          </h2>
          <p className="soft">
            <code translate="no">{code}</code> · <Name>{place}</Name>
            {end !== null && ` · ${person.until(written(end))}`}
          </p>
        </div>
        <Badge tone={usable ? 'good' : 'warn'}>{usable ? status.usable : status.unusable}</Badge>
      </div>
      {!usable && <Chain links={chain.filter(({ holds }) => !holds)} />}
      {permissions.length === 0 ? (
        <p className="soft">{person.nothing}</p>
      ) : (
        <details>
          <summary>{person.permissions(permissions.length)}</summary>
          <ul className="codes">
            {permissions.map((one) => (
              <li key={one}>
                <Permission code={one} user={user.uuid} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {!complete && <p className="soft">{person.reach}</p>}
      <div className="actions">
        {may('iam.profiles.read') && may('iam.profiles.update') && (
          <ChangeEnd user={user} profile={profile} />
        )}
        {may('iam.profiles.delete') && <TakeAway user={user} profile={profile} />}
      </div>
    </section>
  )
}
