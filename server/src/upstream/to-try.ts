import type { Secrets } from '../keys/encryption.ts'
import type { Reading } from '../store/in-transaction.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { draftUpstream } from './drafts.ts'
import { openUpstream } from './secrets.ts'
import type { Upstream } from './upstream.ts'

/**
 * The upstream with this uuid, whether it is active or not, or the draft of a set-up link: what is asked of it may be a
 * trial. Whoever signs somebody in asks again whether it counts.
 */
export async function upstreamToTry(
  service: { readonly store: Reading; readonly settings: Secrets; now(): number },
  uuid: string,
): Promise<Upstream | undefined> {
  const row = (await upstreamsNow(service.store)).byUuid.get(uuid)
  return row === undefined ? await draftUpstream(service, uuid) : openUpstream(service, row)
}
