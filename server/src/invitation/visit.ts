import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Opened } from '../administration/invitations/accept.ts'
import type { FormPageProps } from '../pages/form.tsx'
import type { Service } from '../service.ts'
import type { LiveSession } from '../store/sessions.ts'

/** A request with a link that is known. */
export interface InvitationVisit extends Opened {
  service: Service
  request: FastifyRequest
  reply: FastifyReply
  link: string
  /** Of an active person, who proved all that they have. */
  session: LiveSession | undefined
  page: FormPageProps
}
