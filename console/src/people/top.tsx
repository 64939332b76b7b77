import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMayDeclare, useMayImport, useMayInvite } from '../shared/me.ts'
import { Tabs } from '../shared/tabs.tsx'
import { Heading } from '../shared/text.tsx'

/** What stands over the lists of those who are here, and of those who are invited. */
export function PeopleTop() {
  const { people, invite } = useWords()
  const may = useMay()
  return (
    <>
      <div className="top">
        <Heading>{people}</Heading>
        <div className="buttons">
          <MoveIn />
          <ImportLink />
          <Invite />
        </div>
      </div>
      {may('iam.invitations.read') && (
        <Tabs label={people}>
          <Link to="/people" activeOptions={{ exact: true, includeSearch: false }} activeProps={current}>
            {people}
          </Link>
          <Link
            to="/people/invitations"
            search={{ state: 'pending' }}
            activeOptions={{ includeSearch: false }}
            activeProps={current}
          >
            {invite.invitations}
          </Link>
        </Tabs>
      )}
    </>
  )
}

const current = { 'aria-current': 'page' } as const

/** Absent for those who may not import. */
function ImportLink() {
  const { importing } = useWords()
  const mayImport = useMayImport()
  if (!mayImport) return null
  return (
    <Button variant="default" renderRoot={(root) => <Link to="/people/import" {...root} />}>
      {importing.open}
    </Button>
  )
}

/** Absent for those who may not invite. */
export function Invite() {
  const { invite } = useWords()
  const mayInvite = useMayInvite()
  if (!mayInvite) return null
  return <Button renderRoot={(root) => <Link to="/people/new" {...root} />}>{invite.invite}</Button>
}

/** Absent for those who may not. */
function MoveIn() {
  const { moving } = useWords()
  if (!useMayDeclare()) return null
  return (
    <Button variant="default" renderRoot={(root) => <Link to="/people/move-in" {...root} />}>
      {moving.button}
    </Button>
  )
}
