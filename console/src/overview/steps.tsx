import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMayInvite } from '../shared/me.ts'
import { counted, useMetrics } from './figures.tsx'

/** What one does first, until there is an application and a second person. */
export function FirstSteps() {
  const { start } = useWords()
  const may = useMay()
  const mayInvite = useMayInvite()
  const metrics = useMetrics()
  const people = useQuery({ ...counted('people'), enabled: metrics.includes('people') }).data?.total
  const clients = useQuery({ ...counted('clients'), enabled: metrics.includes('clients') }).data?.total
  if (clients !== 0 && (people === undefined || people > 1)) return null
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">{start.steps}</h2>
      <ol className="steps">
        {clients === 0 && may('iam.clients.create') && (
          <Step how={start.connectHow}>
            <Link to="/applications/new">{start.connect}</Link>
          </Step>
        )}
        {mayInvite && (
          <Step how={start.inviteHow}>
            <Link to="/people/new">{start.invite}</Link>
          </Step>
        )}
        {may('iam.access.read') && may('iam.users.read') && (
          <Step how={start.whyHow}>
            <Link to="/access/why">{start.why}</Link>
          </Step>
        )}
      </ol>
    </section>
  )
}

const Step = ({ how, children }: { how: string; children: ReactNode }) => (
  <li className="card">
    {children}
    <p className="soft">{how}</p>
  </li>
)
