/** What stands where a view would be. */
import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { useMe } from '../shared/me.ts'
import { NothingHere } from '../shared/state.tsx'
import { Heading } from '../shared/text.tsx'

/** The page where a profile gives nothing here. */
export function NothingAllowed() {
  const words = useWords()
  const { actor } = useMe()
  const role = 'role_name' in actor ? actor.role_name : actor.kind
  return (
    <div className="empty">
      <Heading>{words.nothingAllowed}</Heading>
      <p>{words.nothingAllowedWhy(role)}</p>
    </div>
  )
}

/** What the tab shows in which somebody signed in again. */
export function SignedIn() {
  const words = useWords()
  const { actor } = useMe()
  return (
    <div className="empty">
      <Heading>{words.signedInAgain}</Heading>
      <p>
        {'name' in actor && words.signedInAs(actor.name)} {words.signedInAgainHow}
      </p>
    </div>
  )
}

export function NotFound() {
  const words = useWords()
  return <NothingHere back={<Link to="/">{words.notFoundBack}</Link>} />
}
