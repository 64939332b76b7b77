import { answered, api, type AuditRecord } from '../api/client.ts'
import { useWords } from '../messages/messages.tsx'
import { Actor, Event } from './event.tsx'
import { Pages, usePages } from './list.tsx'
import { Time } from './text.tsx'

/** What the audit tells about a person, or of what happened to a thing, newest first. */
export function History({
  of,
  label,
  empty,
}: {
  of: { user_uuid: string } | { target: string }
  label: string
  empty: string
}) {
  const { history } = useWords()
  const pages = usePages(['history', of], async (cursor) => {
    const query = { ...of, limit: '50', include: 'names', ...(cursor && { cursor }) }
    const page = await answered(api.GET('/admin/v1/audit', { params: { query } }))
    return {
      ...page,
      items: page.items.map((record) => ({ ...record, names: page.names })),
    }
  })
  return (
    <Pages
      pages={pages}
      label={label}
      id={({ sequence }) => String(sequence)}
      empty={{ title: empty }}
      columns={[
        { title: history.when, cell: ({ at }) => <Time at={at} /> },
        { title: history.what, plain: true, cell: (record) => <What record={record} /> },
        { title: history.who, cell: (record) => <Actor of={record} names={record.names} /> },
      ]}
    />
  )
}

/** What happened, and which fields changed: a record holds their values, and no secret. */
function What({ record }: { record: AuditRecord }) {
  const { before, after } = record
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const fields = [...names].filter((one) => one !== 'updated_at')
  return (
    <>
      <Event of={record} />
      {before && after && <span className="soft"> {fields.join(', ')}</span>}
    </>
  )
}
