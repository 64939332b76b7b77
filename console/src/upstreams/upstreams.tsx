/** How people sign in elsewhere: every upstream within reach; of one organisation with its domains and directories. */
import { getRouteApi } from '@tanstack/react-router'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { OrganisationPicker } from '../shared/pickers.tsx'
import { Empty } from '../shared/state.tsx'
import { Heading } from '../shared/text.tsx'
import { AddUpstream, UpstreamList } from './list.tsx'
import { BreakGlass } from './opened.tsx'
import { OrganisationSignIn } from './organisation.tsx'
import './upstreams.css'

const route = getRouteApi('/upstreams')

export function Upstreams() {
  const { upstreams, upstream: words } = useWords()
  const { reach } = useMe()
  const { organisation = reach.organisation_uuid ?? undefined } = route.useSearch()
  if (reach.kind === 'unit')
    return (
      <>
        <Heading>{upstreams}</Heading>
        <Empty title={words.unit}>{words.unitHow(reach.organisation_unit_name ?? '')}</Empty>
      </>
    )
  return organisation === undefined ? <All /> : <OrganisationSignIn key={organisation} uuid={organisation} />
}

/** Whoever administers everything sees those of the installation and of every organisation. */
function All() {
  const { upstreams, upstream: words } = useWords()
  const may = useMay()
  const navigate = route.useNavigate()
  return (
    <>
      <div className="top">
        <Heading>{upstreams}</Heading>
        <AddUpstream label={words.add} />
      </div>
      <p className="lead">{words.lead}</p>
      {may('iam.organisations.read') && (
        <div className="filters">
          <OrganisationPicker
            bare
            label={words.ofOrganisation}
            hint={words.ofOrganisation}
            value={undefined}
            onChange={(organisation) => organisation && void navigate({ search: { organisation } })}
          />
        </div>
      )}
      {may('iam.upstreams.read') && <UpstreamList />}
      <BreakGlass />
    </>
  )
}
