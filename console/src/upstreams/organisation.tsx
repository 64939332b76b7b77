import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useMay, useMe } from '../shared/me.ts'
import { Shown } from '../shared/state.tsx'
import { Heading, Name } from '../shared/text.tsx'
import { Directories } from './directories.tsx'
import { Domains } from './domains.tsx'
import { AddUpstream, UpstreamList } from './list.tsx'
import { Opened } from './opened.tsx'
import { SetUpLinks } from './set-up-links.tsx'

/** The organisation, where it may be read. */
export function useOwner(uuid: string | null) {
  const may = useMay()
  return useQuery({
    queryKey: ['organisation', uuid],
    enabled: uuid !== null && may('iam.organisations.read'),
    queryFn: () =>
      withTag(api.GET('/admin/v1/organisations/{uuid}', { params: { path: { uuid: uuid ?? '' } } })),
  })
}

/** How the people of an organisation sign in, and who provisions them. */
export function OrganisationSignIn({ uuid }: { uuid: string }) {
  const words = useWords()
  const may = useMay()
  const { kind } = useMe().reach
  const asked = useOwner(uuid)
  return (
    <Shown asked={asked} page={{ name: words.upstreams, to: '/upstreams' }}>
      {({ data: organisation, tag }) => (
        <>
          <nav className="crumbs" aria-label={words.upstreams}>
            {kind === 'installation' && <Link to="/upstreams">{words.upstreams}</Link>}
            <Link to="/organisations/$uuid" params={{ uuid }}>
              <Name>{organisation.name}</Name>
            </Link>
          </nav>
          <div className="top">
            <Heading>{words.upstream.signInOf(organisation.name)}</Heading>
            <AddUpstream organisation={uuid} label={words.upstream.add} />
          </div>
          {may('iam.upstreams.read') && <UpstreamList organisation={uuid} />}
          {may('iam.upstreams.read') && <SetUpLinks organisation={uuid} />}
          {may('iam.domains.read') && <Domains organisation={organisation} />}
          {may('iam.directories.read') && <Directories organisation={organisation} />}
          <Opened organisation={organisation} tag={tag} />
        </>
      )}
    </Shown>
  )
}
