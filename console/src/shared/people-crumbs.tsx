import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'

/** The way back to the list of people. */
export function PeopleCrumbs() {
  const { people } = useWords()
  return (
    <nav className="crumbs" aria-label={people}>
      <Link to="/people">{people}</Link>
    </nav>
  )
}
