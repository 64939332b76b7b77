import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { api, type Client, withTag } from '../api/client.ts'
import type { Messages } from '../messages/en.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { History } from '../shared/history.tsx'
import { useMay } from '../shared/me.ts'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { Badge, Heading, Name } from '../shared/text.tsx'
import { ApplicationState } from './applications.tsx'
import { Disable } from './changes.tsx'
import { Preview } from './preview.tsx'
import { Overview } from './overview.tsx'
import { Secrets } from './secrets.tsx'
import { Settings } from './settings.tsx'
import { Try } from './try.tsx'
import { Visit } from './visit.tsx'
import './applications.css'

interface Part {
  part: string | undefined
  word: keyof Messages['application']['parts']
  permission: string
  of?: readonly Client['type'][]
  Show: ComponentType<Tagged<Client>>
}

/** The parts of an application, each with the permission that it needs. */
const parts: readonly Part[] = [
  { part: undefined, word: 'overview', permission: 'iam.clients.read', Show: Overview },
  { part: 'settings', word: 'settings', permission: 'iam.clients.update', Show: Settings },
  {
    part: 'secrets',
    word: 'secrets',
    permission: 'iam.clients.read',
    of: ['web', 'machine'],
    Show: Secrets,
  },
  {
    part: 'preview',
    word: 'preview',
    permission: 'iam.access.read',
    of: ['public', 'web', 'machine'],
    Show: Preview,
  },
  { part: 'try', word: 'try', permission: 'iam.clients.update', of: ['public', 'web'], Show: Try },
  { part: 'visit', word: 'visit', permission: 'iam.access.read', of: ['proxied'], Show: Visit },
  { part: 'activity', word: 'activity', permission: 'iam.audit.read', Show: Activity },
]

export function Application() {
  const { id = '', part } = useParams({ strict: false })
  const words = useWords()
  const may = useMay()
  const asked = useQuery({
    queryKey: ['application', id],
    queryFn: () => withTag(api.GET('/admin/v1/clients/{client_id}', { params: { path: { client_id: id } } })),
  })
  return (
    <Shown asked={asked} page={{ name: words.applications, to: '/applications' }}>
      {({ data: client, tag }) => {
        const shown = parts.filter(
          ({ permission, of = [client.type] }) => may(permission) && of.includes(client.type),
        )
        const Current = shown.find((one) => one.part === part)?.Show
        return (
          <>
            <nav className="crumbs" aria-label={words.applications}>
              <Link to="/applications">{words.applications}</Link>
            </nav>
            <div className="top">
              <div>
                <Heading>{client.client_name}</Heading>
                <p className="soft">{words.application.types[client.type]}</p>
              </div>
              <ApplicationState client={client} />
              {client.managed_by && <Badge tone="plain">{words.status.managed(client.managed_by)}</Badge>}
              {may('iam.clients.update') && <Disable data={client} tag={tag} />}
            </div>
            <PartTabs
              label={client.client_name}
              at="/applications/$id"
              id={{ id }}
              parts={shown.map(({ part, word }) => ({ part, label: words.application.parts[word] }))}
            />
            {Current ? (
              <Current key={id} data={client} tag={tag} />
            ) : (
              <Empty
                title={words.notFound}
                action={
                  <Link to="/applications/$id" params={{ id }}>
                    <Name>{client.client_name}</Name>
                  </Link>
                }
              />
            )}
          </>
        )
      }}
    </Shown>
  )
}

function Activity({ data: { client_id: id } }: Tagged<Client>) {
  const { application } = useWords()
  return <History of={{ target: id }} label={application.parts.activity} empty={application.noActivity} />
}
