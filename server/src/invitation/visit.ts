import type { OpenedInvitation } from '../administration/invitations/accept.ts'
import { invitationPath } from '../administration/invitations/send.ts'
import { clearCookie } from '../sign-in/browser.ts'
import type { PageVisit } from '../sign-in/page-visit.ts'
import type { LiveSession } from '../store/sessions.ts'

/** A request with a link that is known. */
export interface InvitationVisit extends OpenedInvitation, PageVisit {
  link: string
  /** The session of an active person who proved all that they have. */
  session: LiveSession | undefined
}

export const addressOf = ({ link }: Pick<InvitationVisit, 'link'>) =>
  `${invitationPath}?link=${link}` as const

export const acceptedPath = `${invitationPath}/accepted`
/** The path of options for a passkey. */
export const passkeyPath = `${invitationPath}/passkey`

/** The page after the answer; this browser forgets the link. */
export function afterAnswer({ service, reply, invitation }: InvitationVisit, declined = false): string {
  clearCookie(service, reply, 'invitation')
  const id = declined ? null : invitation.client_id
  return id === null ? acceptedPath : `${acceptedPath}?client_id=${encodeURIComponent(id)}`
}
