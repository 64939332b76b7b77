import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
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
      {refusal?.requestId && (
        <p className="soft">
          {words.requestId} <code translate="no">{refusal.requestId}</code>{' '}
          <Copy label={words.requestId} value={refusal.requestId} />
        </p>
      )}
      {retry && refusal?.status !== 404 && (
        <Button variant="default" size="xs" onClick={retry}>
          {words.retry}
        </Button>
      )}
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

interface Asked<T> {
  data: T | undefined
  error: unknown
  refetch: () => unknown
}

/** A query as a view shows it: waiting, refused, or what came. */
export function Shown<T>({
  asked,
  rows,
  page,
  children,
}: {
  asked: Asked<T>
  rows?: number
  /** The heading where it is a whole page and is refused. */
  page?: string
  children: (data: T) => ReactNode
}) {
  if (asked.data !== undefined) return children(asked.data)
  if (asked.error)
    return (
      <>
        {page !== undefined && <Heading>{page}</Heading>}
        <Refused error={asked.error} retry={() => void asked.refetch()} />
      </>
    )
  return <Waiting {...(rows && { rows })} />
}
