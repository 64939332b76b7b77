import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { guarded } from '../api/change.ts'
import { api, type Webhook as Shape, withTag } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { History } from '../shared/history.tsx'
import { useKinds } from '../shared/kind-picker.tsx'
import { useMay } from '../shared/me.ts'
import { usePlaces } from '../shared/place.ts'
import { Switch } from '../shared/removal.tsx'
import { Empty, Shown } from '../shared/state.tsx'
import { PartTabs } from '../shared/tabs.tsx'
import { Fact, Heading, Name } from '../shared/text.tsx'
import { Deliveries } from './deliveries.tsx'
import { nameOf } from './fields.tsx'
import { Settings } from './settings.tsx'
import { WebhookState } from './webhooks.tsx'

const parts = [
  { part: undefined, word: 'deliveries', permission: 'iam.webhooks.read', Show: Deliveries },
  { part: 'settings', word: 'settings', permission: 'iam.webhooks.update', Show: Settings },
  { part: 'activity', word: 'activity', permission: 'iam.audit.read', Show: Activity },
] as const

/** What it was sent and what came back; its settings and secrets. */
export function Webhook() {
  const { uuid = '', part } = useParams({ strict: false })
  const words = useWords()
  const may = useMay()
  const asked = useQuery({
    queryKey: ['webhook', uuid],
    queryFn: () => withTag(api.GET('/admin/v1/webhooks/{uuid}', { params: { path: { uuid } } })),
  })
  const shown = parts.filter(({ permission }) => may(permission))
  const Current = shown.find((one) => one.part === part)?.Show
  return (
    <Shown asked={asked} page={{ name: words.webhooks, to: '/webhooks' }}>
      {(current) => (
        <>
          <nav className="crumbs" aria-label={words.webhooks}>
            <Link to="/webhooks">{words.webhooks}</Link>
          </nav>
          <Top {...current} />
          <PartTabs
            label={nameOf(current.data)}
            at="/webhooks/$uuid"
            id={{ uuid }}
            parts={shown.map(({ part, word }) => ({ part, label: words.webhook[word] }))}
          />
          {Current ? (
            <Current key={uuid} {...current} />
          ) : (
            <Empty
              title={words.notFound}
              action={
                <Link to="/webhooks/$uuid" params={{ uuid }}>
                  <Name>{nameOf(current.data)}</Name>
                </Link>
              }
            />
          )}
        </>
      )}
    </Shown>
  )
}

function Top({ data, tag }: Tagged<Shape>) {
  const { webhook: words } = useWords()
  const may = useMay()
  const named = useKinds()
  const place = usePlaces([data])
  const { uuid, active, url, kinds } = data
  return (
    <>
      <div className="top">
        <Heading>{nameOf(data)}</Heading>
        <WebhookState active={active} />
        {may('iam.webhooks.update') && may('iam.audit.read') && (
          <Switch
            words={words}
            name={nameOf(data)}
            active={active}
            file={null}
            what={['webhook', uuid, tag]}
            ask={(body, { query }) =>
              api.PATCH('/admin/v1/webhooks/{uuid}', {
                params: { path: { uuid }, query, header: guarded(tag) },
                body,
              })
            }
          />
        )}
      </div>
      <dl className="wide webhook-facts">
        <Fact label={words.url}>
          <Name>{url}</Name>
        </Fact>
        <Fact label={words.kinds}>{kinds.map(named).join(', ')}</Fact>
        <Fact label={words.of}>
          <Name>{place(data)}</Name>
        </Fact>
      </dl>
    </>
  )
}

function Activity({ data: { uuid } }: Tagged<Shape>) {
  const { application } = useWords()
  return <History of={{ target: uuid }} label={application.parts.activity} empty={application.noActivity} />
}
