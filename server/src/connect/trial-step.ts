import { noteTrial } from '../administration/upstream-invitations/entering.ts'
import { sendPage } from '../pages/send-page.ts'
import { beginTrial } from '../upstream/trial.ts'
import { tryPage } from './step-pages.tsx'
import type { StepOf } from './steps.ts'
import { type ConnectVisit, pathOf } from './visit.ts'

function showTrial(
  { reply, page, entry, row }: ConnectVisit,
  { throttled }: { throttled?: boolean } = {},
): unknown {
  const html = tryPage({
    ...page,
    throttled,
    first: entry.values === undefined,
    tried: row.tried_at !== null,
  })
  return sendPage(reply, html, { status: throttled === true ? 429 : 200, leadsAway: true })
}

/** A sign-in at the provider for show: it signs nobody in, and tells nothing of the accounts here. */
export const trialStep: StepOf = {
  show: showTrial,
  async submit(visit) {
    const { service, reply, row, entry, holding } = visit
    if (entry.values === undefined) return showTrial(visit)
    const asked = { upstream_uuid: row.upstream_uuid, by: { actor: { kind: 'anonymous' } } } as const
    const more = { now: holding.now, draftOf: row.uuid, returnTo: pathOf('trial') }
    const { id, address } = await beginTrial(service, { ...asked, ...more })
    await noteTrial(service.store, holding, id)
    return reply.redirect(address, 303)
  },
}
