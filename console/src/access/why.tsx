import { getRouteApi } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Heading } from '../shared/text.tsx'
import { ApplicationPicker, PermissionPicker, PersonPicker } from '../shared/pickers.tsx'
import { OfMachine, OfPerson } from './answer.tsx'
import { Questions } from './questions.tsx'
import { Examples, Sentence } from './sentence.tsx'

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
        <Heading title={words.access}>{words.access}</Heading>
      </div>
      <Questions permission={permission} />
      <Sentence
        label={why.title}
        says={why.asks}
        parts={{
          person: (
            <PersonPicker
              bare
              label={why.person}
              hint={user === undefined && client !== undefined ? why.machine : why.somebody}
              value={user}
              onChange={(user) => choose({ user })}
            />
          ),
          permission: (
            <PermissionPicker
              bare
              label={why.permission}
              hint={why.something}
              value={permission}
              onChange={(permission) => choose({ permission })}
            />
          ),
          application: may('iam.clients.read') && (
            <ApplicationPicker
              bare
              label={why.application}
              hint={why.any}
              value={client}
              onChange={(client) => choose({ client })}
            />
          ),
        }}
      />
      {permission === undefined || (user ?? client) === undefined ? (
        <Begin {...{ user, client }} />
      ) : user === undefined ? (
        <OfMachine client={client ?? ''} permission={permission} />
      ) : (
        <OfPerson key={`${user} ${permission}`} {...{ user, permission, client, profile }} />
      )}
    </>
  )
}

/** Nothing is asked yet: questions about what is there, and about oneself unless somebody is chosen. */
function Begin({ user, client }: { user: string | undefined; client: string | undefined }) {
  const { why } = useWords()
  const { actor } = useMe()
  const own = user === undefined && client === undefined && 'user_uuid' in actor ? actor : undefined
  const about = user ?? own?.user_uuid
  return (
    <Examples
      title={why.begin}
      lead={why.lead}
      to="/access/why"
      says={why.asks}
      search={{ ...(about && { user: about }), ...(client && { client }) }}
      parts={{ ...(own && { person: own.name }) }}
    />
  )
}
