import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Opened } from '../administration/invitations/accept.ts'
import { invitationPath } from '../administration/invitations/send.ts'
import type { FormPageProps } from '../pages/form.tsx'
import { hashSecret } from '../protocol/identifier.ts'
import type { Service } from '../service.ts'
import { clearCookie } from '../sign-in/browser.ts'
import type { LiveSession } from '../store/sessions.ts'

/** A request with a link that is known. */
export interface InvitationVisit extends Opened {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  link: string
  /** The session of an active person who proved all that they have. */
  session: LiveSession | undefined
  page: FormPageProps
  /** The browser's secret. */
  browser: string
}

export const addressOf = ({ link }: Pick<InvitationVisit, 'link'>) =>
  `${invitationPath}?link=${link}` as const

export const acceptedPath = `${invitationPath}/accepted`
/** The path of options for a passkey. */
export const passkeyPath = `${invitationPath}/passkey`

/** What the form is tied to beside the browser. */
export const formOf = (link: string) => `invitation ${hashSecret(link)}`

/** The holder that challenges of passkeys are bound to. */
export const holderOf = ({ browser, link }: InvitationVisit): string => `${browser} ${formOf(link)}`

/** The page after the answer; this browser forgets the link. */
export function afterAnswer({ service, reply, invitation }: InvitationVisit, declined = false): string {
  clearCookie(service, reply, 'invitation')
  const id = declined ? null : invitation.client_id
  return id === null ? acceptedPath : `${acceptedPath}?client_id=${encodeURIComponent(id)}`
}
