import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { Tabs } from '../shared/tabs.tsx'

/** The two questions about a permission. */
export function Questions({ permission }: { permission: string | undefined }) {
  const { access, who } = useWords()
  const search = permission === undefined ? {} : { permission }
  return (
    <Tabs label={access}>
      <Link to="/access/why" search={search} activeOptions={{ includeSearch: false }}>
        {who.why}
      </Link>
      <Link to="/access/who" search={search} activeOptions={{ includeSearch: false }}>
        {who.who}
      </Link>
    </Tabs>
  )
}
