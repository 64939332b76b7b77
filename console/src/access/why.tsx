import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { components } from '../api/types.d.ts'
import { type Profile, useAccess } from '../shared/access.ts'
import { Chain } from '../shared/chain.tsx'
import { Icon } from '../shared/icons.tsx'
import { Empty, Refused, Shown } from '../shared/state.tsx'
import { Badge, Heading, Name } from '../shared/text.tsx'
import { ApplicationPicker, PermissionPicker, PersonPicker } from '../shared/pickers.tsx'

const route = getRouteApi('/access')
type Question = ReturnType<typeof route.useSearch>

/** Why can somebody do something, or why not? The address is the question. */
export function Why() {
  const words = useWords()
  const { why } = words
  const { user, permission, client } = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (change: Question) => void navigate({ search: (before) => ({ ...before, ...change }) })
  return (
    <>
      <div className="top">
        <Heading title={words.access}>{why.title}</Heading>
      </div>
      <div className="question">
        <PersonPicker label={why.person} value={user} onChange={(user) => choose({ user })} />
        <PermissionPicker
          label={why.permission}
          value={permission}
          onChange={(permission) => choose({ permission })}
        />
        <ApplicationPicker
          label={why.application}
          hint={why.any}
          value={client}
          onChange={(client) => choose({ client })}
        />
      </div>
      {user && permission ? (
        <Verdict user={user} permission={permission} client={client} />
      ) : (
        <Empty title={why.begin}>{why.lead}</Empty>
      )}
    </>
  )
}

interface Asked {
  user: string
  permission: string
  client: string | undefined
}

/** The answer for every profile: people act under one of them. What allows it, or what lacks least, comes first. */
function Verdict({ user, permission, client }: Asked) {
  const { why, person } = useWords()
  const { asked: access, place } = useAccess(user)
  const profiles = access.data?.profiles ?? []
  const asked = useQuery({
    queryKey: ['explain', user, permission, client, profiles.map((one) => one.profile_uuid)],
    enabled: access.data !== undefined,
    queryFn: async () => {
      const { name } = await answered(api.GET('/admin/v1/users/{uuid}', { params: { path: { uuid: user } } }))
      const query = { user_uuid: user, permission, ...(client && { client_id: client }) }
      const each = profiles.slice(0, 20).map(async (profile) => {
        const params = { query: { ...query, profile_uuid: profile.profile_uuid } }
        return { ...(await answered(api.GET('/admin/v1/access/explain', { params }))), profile }
      })
      const lacking = (one: Explained) => one.chain.filter(({ holds }) => !holds).length
      return { name, each: (await Promise.all(each)).sort((a, b) => lacking(a) - lacking(b)) }
    },
  })
  if (access.error) return <Refused error={access.error} />
  return (
    <Shown asked={asked}>
      {({ name, each }) => {
        const allowed = each[0]?.allowed ?? false
        return (
          <div aria-live="polite">
            <div className={`notice verdict ${allowed ? 'holds' : 'fails'}`}>
              <Icon name={allowed ? 'holds' : 'fails'} />
              <p>
                <strong>
                  <Name>{allowed ? why.allowed(name) : why.refused(name)}</Name>
                </strong>{' '}
                <bdi>{each[0]?.chain.find(({ holds }) => !holds)?.detail}</bdi>
              </p>
            </div>
            {each.length === 0 && <Empty title={person.noProfile}>{person.noProfileHow}</Empty>}
            {each.map((one) => (
              <Answer key={one.profile.profile_uuid} {...one} place={place(one.profile)} />
            ))}
          </div>
        )
      }}
    </Shown>
  )
}

type Explained = components['schemas']['Explanation'] & { profile: Profile }

function Answer({ allowed, chain, would_grant: cures, profile, place }: Explained & { place: string }) {
  const { why } = useWords()
  return (
    <section className="card">
      <div className="line">
        <div>
          <h2>
            <Name>{profile.role_name}</Name>
          </h2>
          <p className="soft">
            <Name>{place}</Name>
          </p>
        </div>
        <Badge tone={allowed ? 'good' : 'bad'}>{allowed ? why.can : why.canNot}</Badge>
      </div>
      <div className="halves even">
        <div>
          <h3>{why.chain}</h3>
          <Chain links={chain} />
        </div>
        {cures.length > 0 && (
          <div>
            <h3>{why.cures}</h3>
            {cures.length > 1 && <p className="soft">{why.cureHow}</p>}
            <ul className="cures">
              {cures.map((cure) => (
                <li key={cure}>{cure}</li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </section>
  )
}
