import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Refusal } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { meQuery, usePlaceName } from './me.ts'
import { Copy, Heading } from './text.tsx'

/** What the API said, with the number that the operator finds in the log. */
export function Refused({ error, retry }: { error: unknown; retry?: () => void }) {
  const words = useWords()
  const refusal = error instanceof Refusal ? error : undefined
  return (
    <div className="notice bad" role="alert">
      <strong>{words.failed}</strong>
      <p>{refusal?.message ?? words.offline}</p>
      {refusal && isElsewhere(refusal) && <ActsFor />}
      <RequestNumber of={refusal} />
      {retry && refusal?.status !== 404 && (
        <Button variant="default" size="xs" onClick={retry}>
          {words.retry}
        </Button>
      )}
    </div>
  )
}

function RequestNumber({ of: refusal }: { of: Refusal | undefined }) {
  const words = useWords()
  if (!refusal?.requestId) return null
  return (
    <p className="soft">
      {words.requestId} <code translate="no">{refusal.requestId}</code>{' '}
      <Copy label={words.requestId} value={refusal.requestId} />
    </p>
  )
}

/** A page whose address leads to nothing, or to what is not within reach. */
export function NothingHere({ refusal, back }: { refusal?: Refusal; back: ReactNode }) {
  const words = useWords()
  return (
    <div className="empty">
      <Heading>{words.notFound}</Heading>
      {refusal && <p>{refusal.message}</p>}
      {refusal && <ActsFor />}
      <p>{back}</p>
      <RequestNumber of={refusal} />
    </div>
  )
}

/** What is elsewhere is refused as what is not there, a permission too: so it says where one is. */
const isElsewhere = ({ status, fields }: Refusal) =>
  status === 403 || status === 404 || 'permission' in fields

function ActsFor() {
  const words = useWords()
  const placeName = usePlaceName()
  const reach = useQueryClient().getQueryData(meQuery.queryKey)?.reach
  if (reach === undefined || reach.kind === 'installation') return null
  return <p>{words.actsFor(placeName(reach))}</p>
}

/** Grey lines where rows will be. */
export function Waiting({ rows = 5 }: { rows?: number }) {
  const words = useWords()
  return (
    <div className="waiting" role="status" aria-label={words.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} />
      ))}
    </div>
  )
}

export function Empty({
  title,
  children,
  action,
}: {
  title: ReactNode
  children?: ReactNode
  /** The next step, as a button. */
  action?: ReactNode
}) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
      {action && <div className="next">{action}</div>}
    </div>
  )
}

interface QueryState<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

type List =
  | '/people'
  | '/applications'
  | '/organisations'
  | '/roles'
  | '/services'
  | '/audit'
  | '/upstreams'
  | '/webhooks'
  | '/mails'
  | '/keys'
  | '/policy'
  | '/branding'
  | '/settings'

/** A query as a view shows it: waiting, refused, or what came. */
export function Shown<T>({
  asked,
  rows,
  page,
  children,
}: {
  asked: QueryState<T>
  rows?: number
  /** The list that a whole page belongs to; it heads the page when that is refused. */
  page?: { name: string; to: List }
  children: (data: T) => ReactNode
}) {
  if (asked.data !== undefined) return children(asked.data)
  if (page !== undefined && asked.error instanceof Refusal && asked.error.status === 404)
    return <NothingHere refusal={asked.error} back={<Link to={page.to}>{page.name}</Link>} />
  if (asked.error)
    return (
      <>
        {page !== undefined && <Heading>{page.name}</Heading>}
        <Refused error={asked.error} retry={() => void asked.refetch()} />
      </>
    )
  return <Waiting {...(rows && { rows })} />
}
