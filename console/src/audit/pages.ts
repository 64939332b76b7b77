import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { answered, api, type AuditRecord } from '../api/client.ts'
import type { Names } from '../shared/names.ts'

type Field = 'kind' | 'actor' | 'target' | 'user' | 'organisation' | 'request' | 'from' | 'to'
export type AuditFilter = { [name in Field]?: string | undefined }
export type Row = AuditRecord & { names: Names }

export function filterOf({
  kind,
  actor,
  target,
  user,
  organisation,
  request,
}: AuditFilter): Record<string, string> {
  return {
    ...(kind && { kind }),
    ...(actor && { actor }),
    ...(target && { target }),
    ...(user && { user_uuid: user }),
    ...(organisation && { organisation_uuid: organisation }),
    ...(request && { request_id: request }),
  }
}

/** What follows as it happens has no end, and begins now. */
export const queryOf = ({ from, to, ...asked }: AuditFilter): Record<string, string> => ({
  ...filterOf(asked),
  ...(from && { from }),
  ...(to && { to }),
})

export async function pageOf(asked: AuditFilter, cursor?: string) {
  const query = { ...queryOf(asked), include: 'names', limit: '50', ...(cursor && { cursor }) }
  const page = await answered(api.GET('/admin/v1/audit', { params: { query } }))
  return { ...page, items: page.items.map((one): Row => ({ ...one, names: page.names ?? {} })) }
}
type Pages = InfiniteData<Awaited<ReturnType<typeof pageOf>>>

/** A first page that grew longer is read anew. */
const longest = 200

/** Puts what is new in front. What is loaded is asked for again only where that does not join. */
export async function showNewer(queries: QueryClient, asked: AuditFilter): Promise<void> {
  const queryKey = ['audit', asked]
  const idle = () => queries.getQueryState(queryKey)?.fetchStatus === 'idle'
  const newest = idle() ? await pageOf(asked) : undefined
  const pages = queries.getQueryData<Pages>(queryKey)
  const joined = pages && newest && idle() ? inFront(newest.items, pages) : undefined
  if (joined === undefined) await queries.invalidateQueries({ queryKey })
  else queries.setQueryData<Pages>(queryKey, joined)
}

function inFront(newest: readonly Row[], { pages: [first, ...rest], pageParams }: Pages): Pages | undefined {
  const last = first?.items[0]?.sequence
  const known = newest.findIndex(({ sequence }) => sequence === last)
  if (first === undefined || known < 0 || known + first.items.length > longest) return undefined
  return { pages: [{ ...first, items: [...newest.slice(0, known), ...first.items] }, ...rest], pageParams }
}
