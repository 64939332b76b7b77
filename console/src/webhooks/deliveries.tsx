import { getRouteApi } from '@tanstack/react-router'
import { answered, api, type Webhook, type WebhookDelivery } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import type { Tagged } from '../shared/conflict.tsx'
import { Confirm } from '../shared/dialog.tsx'
import { Event, useEvent } from '../shared/event.tsx'
import { Filter, Pages, usePages } from '../shared/list.tsx'
import { useMay } from '../shared/me.ts'
import { Badge, Time } from '../shared/text.tsx'
import { useUnderWay } from '../shared/under-way.ts'

const route = getRouteApi('/webhooks/$uuid')
const tones = { delivered: 'good', dead: 'bad' } as const
type State = WebhookDelivery['state']
const isState = (text: string | undefined): text is State =>
  text !== undefined && (text === 'pending' || Object.hasOwn(tones, text))

export function DeliveryState({ of: { state, attempts } }: { of: WebhookDelivery }) {
  const { webhook: words } = useWords()
  if (state === 'pending')
    return attempts === 0 ? (
      <Badge tone="plain">{words.states.pending}</Badge>
    ) : (
      <Badge tone="warn">{words.triesAgain}</Badge>
    )
  return <Badge tone={tones[state]}>{words.states[state]}</Badge>
}

/** What was sent, and what was answered. */
export function Deliveries({ data: { uuid, active } }: Tagged<Webhook>) {
  const { webhook: words, history } = useWords()
  const { state: asked } = route.useSearch()
  const navigate = route.useNavigate()
  const state = isState(asked) ? asked : undefined
  const mayChange = useMay()('iam.webhooks.update')
  const pages = usePages(['webhook', uuid, 'deliveries', state], (cursor) => {
    const query = { limit: '50', ...(state && { state }), ...(cursor && { cursor }) }
    return answered(api.GET('/admin/v1/webhooks/{uuid}/deliveries', { params: { path: { uuid }, query } }))
  })
  useUnderWay(pages.data?.pages.flatMap(({ items }) => items) ?? [], pages.refetch)
  const again = {
    title: words.again,
    plain: true,
    away: true,
    cell: (one: WebhookDelivery) => <Again webhook={uuid} delivery={one} />,
  }
  return (
    <>
      <div className="filters">
        <Filter
          label={words.state}
          value={state}
          onChange={(state) => void navigate({ search: state ? { state } : {}, replace: true })}
          of={words.states}
        />
        {mayChange && active && <Test uuid={uuid} />}
      </div>
      <Pages
        pages={pages}
        label={words.deliveries}
        count={words.sent}
        file={{ path: `/webhooks/${uuid}/deliveries`, query: { ...(state && { state }) } }}
        id={({ id }) => id}
        empty={{ title: words.none, how: words.noneHow }}
        columns={[
          { title: history.when, cell: ({ created_at: at }) => <Time at={at} /> },
          { title: history.what, plain: true, cell: (one) => <What of={one} /> },
          { title: words.answer, cell: (one) => <Answer of={one} /> },
          { title: words.state, plain: true, as: 'state', cell: (one) => <DeliveryState of={one} /> },
          ...(mayChange ? [again] : []),
        ]}
      />
    </>
  )
}

/** The record leads there for those who may read it. */
function What({ of: delivery }: { of: WebhookDelivery }) {
  const event = useEvent()
  const may = useMay()('iam.audit.read')
  return may ? <Event of={delivery} /> : event(delivery.kind)
}

/** The status, why it failed, and when it is tried again. */
function Answer({ of: { attempts, last_status: status, last_error: error, next_at: next } }: Of) {
  const { webhook: words } = useWords()
  return (
    <>
      {status !== null && <code translate="no">{status}</code>}{' '}
      {status === null && error !== null && <span>{error}</span>}
      {attempts > 1 && <small className="soft"> {words.attempts(attempts)}</small>}
      {next !== null && attempts > 0 && (
        <small className="soft">
          {' '}
          {words.next} <Time at={next} />
        </small>
      )}
    </>
  )
}

interface Of {
  of: WebhookDelivery
}

/** The record of this very request is sent, whatever kinds it wants. */
function Test({ uuid }: { uuid: string }) {
  const { webhook: words } = useWords()
  return (
    <Confirm
      label={words.test}
      title={words.testTitle}
      what={['test webhook', uuid]}
      ask={({ query }) =>
        api.POST('/admin/v1/webhooks/{uuid}/test', { params: { path: { uuid }, query }, body: {} })
      }
    >
      <p>{words.testWhat}</p>
    </Confirm>
  )
}

function Again({ webhook: uuid, delivery: { id, kind } }: { webhook: string; delivery: WebhookDelivery }) {
  const { webhook: words } = useWords()
  const event = useEvent()
  return (
    <Confirm
      quiet
      label={words.again}
      title={words.againTitle(event(kind))}
      what={['delivery', id]}
      ask={({ query }) =>
        api.POST('/admin/v1/webhooks/{uuid}/deliveries/{delivery}/replay', {
          params: { path: { uuid, delivery: id }, query },
          body: {},
        })
      }
    >
      <p>{words.againWhat}</p>
    </Confirm>
  )
}
