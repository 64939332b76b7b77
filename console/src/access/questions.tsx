import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { Tabs } from '../shared/tabs.tsx'

/** The questions about access: two about a permission, and one about two people. */
export function Questions({ permission }: { permission: string | undefined }) {
  const { access, compare, who, whatIf } = useWords()
  const search = permission === undefined ? {} : { permission }
  return (
    <Tabs label={access}>
      <Link to="/access/why" search={search} activeOptions={{ includeSearch: false }}>
        {who.why}
      </Link>
      <Link to="/access/who" search={search} activeOptions={{ includeSearch: false }}>
        {who.who}
      </Link>
      <Link to="/access/compare" activeOptions={{ includeSearch: false }}>
        {compare.tab}
      </Link>
      <Link to="/access/what-if" activeOptions={{ includeSearch: false }}>
        {whatIf.tab}
      </Link>
    </Tabs>
  )
}
