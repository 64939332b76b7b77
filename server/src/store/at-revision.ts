import type { Store } from '../database/store.ts'

/** The service for one request, which read the revision together with something else; undefined: it did not. */
export function atRevision<Service extends { store: Store }>(
  service: Service,
  revision: number | undefined,
): Service {
  if (revision === undefined) return service
  const { store } = service
  return { ...service, store: { ...store, cache: store.cache.at(revision) } }
}
