import { useWords } from '../messages/messages.tsx'
import { type Profile, useAccess } from '../shared/access.ts'
import { Chain } from '../shared/chain.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { Badge, Name, useTimeWriter } from '../shared/text.tsx'

/** What somebody may do and through what: each profile with its place, its end and its permissions. */
export function Profiles({ uuid }: { uuid: string }) {
  const { person } = useWords()
  const { asked, place } = useAccess(uuid)
  return (
    <Shown asked={asked}>
      {({ profiles }) =>
        profiles.length === 0 ? (
          <Empty title={person.noProfile}>{person.noProfileHow}</Empty>
        ) : (
          profiles.map((one) => <Card key={one.profile_uuid} {...one} place={place(one)} />)
        )
      }
    </Shown>
  )
}

function Card(profile: Profile & { place: string }) {
  const { person, status } = useWords()
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
                <code translate="no">{one}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {!complete && <p className="soft">{person.reach}</p>}
    </section>
  )
}
