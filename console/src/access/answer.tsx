import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answered, api, type Explanation } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { type Profile, useAccess } from '../shared/access.ts'
import { Chain } from '../shared/chain.tsx'
import { Empty, Refused, Shown } from '../shared/state.tsx'
import { Badge, Name } from '../shared/text.tsx'
import { Cures } from './cures.tsx'
import { type About, Drawing } from './drawing.tsx'
import { VerdictLine } from './verdict.tsx'

interface AccessQuery {
  user: string
  permission: string
  client: string | undefined
}

/**
 * People act under one profile: the one that allows it, or lacks the least and comes furthest, unless another is
 * chosen.
 */
export function OfPerson({
  user,
  permission,
  client,
  profile,
}: AccessQuery & { profile: string | undefined }) {
  const { person } = useWords()
  const { asked: access, place } = useAccess(user)
  const [cured, setCured] = useState(false)
  const profiles = access.data?.profiles ?? []
  const asked = useQuery({
    queryKey: ['explain', user, permission, client, profiles.map((one) => one.profile_uuid)],
    enabled: access.data !== undefined,
    queryFn: async () => {
      const params = { path: { uuid: user } }
      const { name, managed_by: file } = await answered(api.GET('/admin/v1/users/{uuid}', { params }))
      const each = profiles.slice(0, 20).map(async (one) => {
        const query = { user_uuid: user, permission, ...(client && { client_id: client }) }
        return { ...(await explained({ ...query, profile_uuid: one.profile_uuid })), profile: one }
      })
      return { name, file, each: (await Promise.all(each)).sort(byNearness) }
    },
  })
  if (access.error) return <Refused error={access.error} />
  return (
    <Shown asked={asked}>
      {({ name, file, each }) => {
        const shown = each.find((one) => one.profile.profile_uuid === profile) ?? each[0]
        if (shown === undefined)
          return (
            <>
              <VerdictLine name={name} chain={[]} allowed={false} />
              <Empty title={person.noProfile}>
                {person.noProfileHow}{' '}
                <Link to="/people/$uuid" params={{ uuid: user }}>
                  <Name>{name}</Name>
                </Link>
              </Empty>
            </>
          )
        const where = place(shown.profile)
        const about = { user, permission, client, name, file, place: where, profile: shown.profile }
        return (
          <>
            <Answer about={about} shown={shown} cured={cured} done={() => setCured(true)} />
            {each.length > 1 && <Others each={each} shown={shown} place={place} />}
          </>
        )
      }}
    </Shown>
  )
}

/** A machine acts for itself. */
export function OfMachine({ client, permission }: { client: string; permission: string }) {
  const [cured, setCured] = useState(false)
  const asked = useQuery({
    queryKey: ['explain', client, permission],
    queryFn: () => explained({ client_id: client, permission }),
  })
  const about = { client, permission, name: client }
  return (
    <Shown asked={asked}>
      {(shown) => <Answer about={about} shown={shown} cured={cured} done={() => setCured(true)} />}
    </Shown>
  )
}

/** Whether, by what, and what would change it. */
function Answer({
  about,
  shown,
  cured,
  done,
}: {
  about: About
  shown: Explanation
  /** The answer changed by what was done here: it takes the focus. */
  cured: boolean
  done: () => void
}) {
  const { why } = useWords()
  return (
    <>
      <VerdictLine key={String(shown.allowed)} focus={cured} name={about.name} {...shown} />
      <Drawing chain={shown.chain} about={about} />
      <div className={shown.allowed ? '' : 'halves even'}>
        <section className="card">
          <h2>{why.chain}</h2>
          <Chain links={shown.chain} />
        </section>
        {!shown.allowed && <Cures about={about} done={done} />}
      </div>
    </>
  )
}

const explained = (query: {
  permission: string
  user_uuid?: string
  profile_uuid?: string
  client_id?: string
}) => answered(api.GET('/admin/v1/access/explain', { params: { query } }))

const byNearness = (a: Explanation, b: Explanation) => lacking(a) - lacking(b) || unreached(a) - unreached(b)
const lacking = ({ chain }: Explanation) => chain.filter(({ holds }) => !holds).length
/** The links from the first that fails on: counted from the end, where all profiles have the same ones. */
function unreached({ chain }: Explanation): number {
  const failing = chain.findIndex(({ holds }) => !holds)
  return failing === -1 ? 0 : chain.length - failing
}

type OfProfile = Explanation & { profile: Profile }

/** Each profile with its own answer; one of them is shown. */
function Others({
  each,
  shown,
  place,
}: {
  each: OfProfile[]
  shown: OfProfile
  place: (profile: Profile) => string
}) {
  const { why } = useWords()
  return (
    <section className="card">
      <h2>{why.profiles}</h2>
      <p className="soft">{why.chosen}</p>
      <ul className="plain profiles">
        {each.map((one) => (
          <li key={one.profile.profile_uuid}>
            <Link
              to="/access/why"
              search={(before) => ({ ...before, profile: one.profile.profile_uuid })}
              aria-current={one === shown ? 'true' : undefined}
            >
              <Name>{one.profile.role_name}</Name> · <Name>{place(one.profile)}</Name>
            </Link>
            <Badge tone={one.allowed ? 'good' : 'bad'}>{one.allowed ? why.can : why.canNot}</Badge>
          </li>
        ))}
      </ul>
    </section>
  )
}
