import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Holding,
  openUpstreamInvitation,
  upstreamInvitationEnded,
} from '../administration/upstream-invitations/entering.ts'
import { connectPath } from '../administration/upstream-invitations/routes.ts'
import type { UpstreamInvitation } from '../administration/upstream-invitations/shown.ts'
import type { Service } from '../service.ts'
import { readCookie } from '../sign-in/browser.ts'
import { openPage, type PageVisit } from '../sign-in/page-visit.ts'
import { addToLimit } from '../store/limits.ts'
import { type DraftEntry, entryOf } from '../upstream/drafts.ts'

/** A request of a browser that holds an open set-up link. */
export interface ConnectVisit extends PageVisit {
  row: UpstreamInvitation
  entry: DraftEntry
  organisation: string
  holding: Holding
}

export const pathOf = (step: GuideStep) => `${connectPath}/${step}` as const

/** The pages of the guide, in the order in which they come. */
export const steps = ['provider', 'values', 'domain', 'trial', 'provisioning', 'finish'] as const
export type GuideStep = (typeof steps)[number]

/** Opens the guide by this browser's cookie. Throws `upstream_invitation_ended`. */
export async function openConnect(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  action: string,
): Promise<ConnectVisit> {
  const now = service.now()
  const text = readCookie(service, request, 'connect') ?? ''
  const opened = await openUpstreamInvitation(service.store, text, now)
  if (opened === undefined) throw upstreamInvitationEnded()
  const visit = await openPage(service, request, reply, { about: `connect ${opened.row.uuid}`, action })
  const from = { address: request.ip, requestId: request.id }
  return { ...visit, ...opened, entry: entryOf(opened.row), holding: { text, now, from } }
}

/** Entries and looks of one link within an hour: each may reach out, and is recorded. */
const mostOfHour = 60
const hour = 3_600_000

/** Counts what is sent by a link. False: it was too much. */
export async function isWithinLimit({ service, row, holding }: ConnectVisit): Promise<boolean> {
  const counted = { by: 1, now: holding.now, window: hour }
  return (await addToLimit(service.store, `connect ${row.uuid}`, counted)).count <= mostOfHour
}
