import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answered, api, type Webhook } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { useKinds } from '../shared/kind-picker.tsx'
import { Pages, usePages } from '../shared/list.tsx'
import { useMe } from '../shared/me.ts'
import { usePlaces } from '../shared/place.ts'
import { Ago, Badge, Heading, Name } from '../shared/text.tsx'
import { AddWebhook } from './add.tsx'
import { DeliveryState } from './deliveries.tsx'
import { nameOf } from './fields.tsx'
import './webhooks.css'

/** A row asks how its webhook does. */
const rowsAtOnce = '20'

/** The systems that are told what happens here, and whether it arrives. */
export function Webhooks() {
  const { webhooks, webhook: words } = useWords()
  const { kind } = useMe().reach
  const pages = usePages(['webhooks'], (cursor) => {
    const query = { limit: rowsAtOnce, ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/webhooks', { params: { query } }))
  })
  const place = usePlaces(pages.data?.pages.flatMap(({ items }) => items) ?? [])
  const owner = { title: words.of, cell: (one: Webhook) => <Name>{place(one)}</Name> }
  return (
    <>
      <div className="top">
        <Heading>{webhooks}</Heading>
        <AddWebhook />
      </div>
      <Pages
        pages={pages}
        label={webhooks}
        id={({ uuid }) => uuid}
        count={words.found}
        file={{ path: '/webhooks' }}
        empty={
          kind === 'unit'
            ? { title: words.notOfUnit }
            : { title: words.empty, how: words.emptyHow, action: <AddWebhook /> }
        }
        columns={[
          { title: words.to, plain: true, cell: (webhook) => <Receiver {...webhook} /> },
          { title: words.kinds, cell: ({ kinds }) => <Kinds of={kinds} /> },
          ...(kind === 'installation' ? [owner] : []),
          { title: words.last, cell: ({ uuid }) => <LastDelivery uuid={uuid} /> },
          {
            title: words.state,
            plain: true,
            as: 'state',
            cell: ({ active }) => <WebhookState active={active} />,
          },
        ]}
      />
    </>
  )
}

export function WebhookState({ active }: { active: boolean }) {
  const { status } = useWords()
  return <Badge tone={active ? 'good' : 'bad'}>{active ? status.active : status.disabled}</Badge>
}

function Receiver(webhook: Webhook) {
  const { uuid, description, url } = webhook
  return (
    <>
      <Link className="strong" to="/webhooks/$uuid" params={{ uuid }}>
        <Name>{nameOf(webhook)}</Name>
      </Link>
      {description !== '' && (
        <small className="soft address">
          <Name>{url}</Name>
        </small>
      )}
    </>
  )
}

/** A few of them in words. */
function Kinds({ of: kinds }: { of: readonly string[] }) {
  const { webhook: words } = useWords()
  const named = useKinds()
  const rest = kinds.length - 3
  return (
    <>
      {kinds.slice(0, 3).map(named).join(', ')}
      {rest > 0 && <span className="soft"> {words.others(rest)}</span>}
    </>
  )
}

function LastDelivery({ uuid }: { uuid: string }) {
  const { webhook: words } = useWords()
  const { data } = useQuery({
    queryKey: ['webhook', uuid, 'last'],
    queryFn: () =>
      answered(
        api.GET('/admin/v1/webhooks/{uuid}/deliveries', {
          params: { path: { uuid }, query: { limit: '1' } },
        }),
      ),
  })
  if (data === undefined) return null
  const [last] = data.items
  if (last === undefined) return <span className="soft">{words.none}</span>
  return (
    <>
      <DeliveryState of={last} /> <Ago at={last.ended_at ?? last.created_at} />
    </>
  )
}
