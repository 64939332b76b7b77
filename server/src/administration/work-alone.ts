import { ProtocolError } from '../protocol/errors.ts'
import type { RouteRequest } from './route.ts'

/** The long works that go on in this process, by whose they are. */
const going = new WeakMap<object, Map<string, AbortSignal>>()

/**
 * Begins the only long work of an organisation: each takes turns with whoever signs in, and an import holds its file in
 * memory. Who administers everything is kept from theirs by nobody else. Yields what ends it; so does the end of the
 * connection. Throws `temporarily_unavailable` while another one goes on.
 */
export function beginAlone({
  service: { store },
  by: { authority },
  closed,
}: Pick<RouteRequest, 'service' | 'by' | 'closed'>): () => void {
  const works = going.get(store) ?? new Map<string, AbortSignal>()
  going.set(store, works)
  const of = authority.holdsEverything ? 'everything' : (authority.reach.organisation_uuid ?? 'everywhere')
  if (works.has(of)) {
    throw new ProtocolError(
      'temporarily_unavailable',
      'Another import or change of many people goes on here. Send this one again when that is done.',
      { headers: { 'retry-after': '5' } },
    )
  }
  const end = () => void (works.get(of) === closed && works.delete(of))
  if (closed.aborted) return end
  works.set(of, closed)
  closed.addEventListener('abort', end, { once: true })
  return end
}
