import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { answered, api } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Empty } from '../shared/state.tsx'
import { Heading, Name } from '../shared/text.tsx'
import { ApplicationPicker, PermissionPicker, PersonPicker } from '../shared/pickers.tsx'
import { OfMachine, OfPerson } from './answer.tsx'
import { Questions } from './questions.tsx'
import './access.css'

const route = getRouteApi('/access/why')
type Question = ReturnType<typeof route.useSearch>

/** Why can somebody do something, or why not? The address is the question. */
export function Why() {
  const words = useWords()
  const { why } = words
  const may = useMay()
  const { user, permission, client, profile } = route.useSearch()
  const navigate = route.useNavigate()
  const choose = (change: Question) =>
    void navigate({ search: (before) => ({ ...before, profile: undefined, ...change }) })
  return (
    <>
      <div className="top">
        <Heading title={words.access}>{why.title}</Heading>
      </div>
      <Questions permission={permission} />
      <div className="question">
        <PersonPicker label={why.person} value={user} onChange={(user) => choose({ user })} />
        <PermissionPicker
          label={why.permission}
          value={permission}
          onChange={(permission) => choose({ permission })}
        />
        {may('iam.clients.read') && (
          <ApplicationPicker
            label={why.application}
            hint={why.any}
            value={client}
            onChange={(client) => choose({ client })}
          />
        )}
      </div>
      {permission === undefined || (user ?? client) === undefined ? (
        <Begin user={user} />
      ) : user === undefined ? (
        <OfMachine client={client ?? ''} permission={permission} />
      ) : (
        <OfPerson key={`${user} ${permission}`} {...{ user, permission, client, profile }} />
      )}
    </>
  )
}

/** Nothing is asked yet: a question about what is there. */
function Begin({ user }: { user: string | undefined }) {
  const { why } = useWords()
  const { actor } = useMe()
  const own = 'user_uuid' in actor ? actor.user_uuid : undefined
  const about = user ?? own
  const found = useQuery({
    queryKey: ['examples', 'permissions'],
    queryFn: () => answered(api.GET('/admin/v1/permissions', { params: { query: { limit: '200' } } })),
  })
  const items = found.data?.items.filter(({ built_in: ours }) => !ours).slice(0, 3) ?? []
  return (
    <Empty title={why.begin}>
      {why.lead}
      {about !== undefined && items.length > 0 && (
        <span className="examples">
          {items.map(({ code, description }) => (
            <Link key={code} className="chip" to="/access/why" search={{ user: about, permission: code }}>
              <Name>{why.example(user === undefined, description)}</Name>
            </Link>
          ))}
        </span>
      )}
    </Empty>
  )
}
