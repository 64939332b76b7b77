import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, type User, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { Badge, CopyRow, Fact, Heading, Name, Time } from '../shared/text.tsx'
import { Applications } from './applications.tsx'
import { Disable } from './disable.tsx'
import { Factors, History, Sessions } from './lists.tsx'
import { PersonState } from './people.tsx'
import { Profiles } from './profiles.tsx'
import { Settings } from './settings.tsx'

/** The parts of a person, each with the permissions of which one opens it. */
const parts = [
  { part: undefined, word: 'profiles', permissions: ['iam.access.read'], Show: Profiles },
  { part: 'sessions', word: 'sessions', permissions: ['iam.sessions.read'], Show: Sessions },
  {
    part: 'applications',
    word: 'applications',
    permissions: ['iam.sessions.read', 'iam.consents.read'],
    Show: Applications,
  },
  { part: 'factors', word: 'factors', permissions: ['iam.factors.read'], Show: Factors },
  { part: 'history', word: 'history', permissions: ['iam.audit.read'], Show: History },
  {
    part: 'settings',
    word: 'settings',
    permissions: ['iam.users.update', 'iam.users.delete'],
    Show: Settings,
  },
] as const

export function Person() {
  const { uuid = '', part } = useParams({ strict: false })
  const words = useWords()
  const may = useMay()
  const shown = parts.filter(({ permissions }) => permissions.some(may))
  const asked = useQuery({
    queryKey: ['person', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/users/{uuid}', { params: { path: { uuid } } })),
  })
  const current = shown.find((one) => one.part === part)
  return (
    <Shown asked={asked} page={{ name: words.people, to: '/people' }}>
      {({ data: user, tag }) => (
        <>
          <nav className="crumbs" aria-label={words.people}>
            <Link to="/people">{words.people}</Link>
          </nav>
          <div className="top">
            <div>
              <Heading>{user.name}</Heading>
              <p className="soft">
                <Name>{user.email}</Name>
              </p>
            </div>
            <PersonState user={user} />
            {user.managed_by && <Badge tone="plain">{words.status.managed(user.managed_by)}</Badge>}
            {may('iam.users.update') && <Disable user={user} tag={tag} />}
          </div>
          <div className="halves">
            <div>
              <PartTabs
                label={user.name}
                at="/people/$uuid"
                id={{ uuid }}
                parts={shown.map(({ part, word }) => ({ part, label: words.person[word] }))}
              />
              {current ? (
                <current.Show key={user.uuid} user={user} tag={tag} />
              ) : (
                <Empty
                  title={words.notFound}
                  action={
                    <Link to="/people/$uuid" params={{ uuid }}>
                      <Name>{user.name}</Name>
                    </Link>
                  }
                />
              )}
            </div>
            <Facts user={user} />
          </div>
        </>
      )}
    </Shown>
  )
}

function Facts({ user }: { user: User }) {
  const { person, yes, no, none } = useWords()
  const password = user.password_temporary ? person.temporary : user.has_password ? yes : none
  return (
    <section className="card" aria-label={person.facts}>
      <h2>{person.facts}</h2>
      <dl>
        <CopyRow label={person.uuid} value={user.uuid} />
        <CopyRow label={person.email} value={user.email} />
        <Fact label={person.verified}>{user.email_verified ? yes : no}</Fact>
        <Fact label={person.password}>{password}</Fact>
        {user.preferred_username && (
          <Fact label={person.username}>
            <Name>{user.preferred_username}</Name>
          </Fact>
        )}
        {user.locale && <Fact label={person.language}>{user.locale}</Fact>}
        <Fact label={person.added}>
          <Time at={user.created_at} />
        </Fact>
        <Fact label={person.updated}>
          <Time at={user.updated_at} />
        </Fact>
      </dl>
    </section>
  )
}
