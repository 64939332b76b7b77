import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { newColumns } from '../../catalogue/columns.ts'
import { invitation, invitationStates } from '../../catalogue/invitation.ts'
import { newBody, shownSchema } from '../../catalogue/schemas.ts'
import { notFound } from '../../protocol/problem.ts'
import { pageOf, uuid } from '../fields.ts'
import { uuidOf } from '../path.ts'
import { listRoute } from '../resource-routes.ts'
import { type AdministrationService, type RouteResponse, createdAnswer, route, type Route } from '../route.ts'
import { asOf, findInvitation, shown } from './inviting.ts'
import { invitationPath } from './send.ts'
import {
  createInvitation,
  listInvitations,
  resendInvitation,
  type SentLink,
  withdrawInvitation,
} from './verbs.ts'

const path = '/invitations'
const one = `${path}/:uuid`

const shownInvitation = shownSchema(invitation)
const sent = shownInvitation.extend({
  link: z
    .string()
    .optional()
    .describe('Where no mail server is set: pass it on. It is in this answer alone, and counts once.'),
})
export const invitationSchemas = {
  Invitation: shownInvitation,
  InvitationPage: pageOf(shownInvitation),
  SentInvitation: sent,
}

const sentAnswer =
  ({ issuer }: Pick<AdministrationService, 'issuer'>, shows: 'with the link' | 'without') =>
  ({ row, link }: SentLink): RouteResponse => ({
    status: 201,
    body: {
      ...shown(row),
      ...(shows === 'with the link' && link !== undefined && { link: linkOf(issuer, link) }),
    },
    version: row.version,
    location: `${path}/${row.uuid}`,
  })

const linkOf = (issuer: string, link: string): string => `${issuer}${invitationPath}?link=${link}`

export const invitationRoutes: Route[] = [
  listRoute({
    path,
    permission: 'iam.invitations.read',
    summary: 'List invitations',
    example: '--organisation acme --state pending',
    columns: ['uuid', 'email', 'state', 'profiles', 'expires_at'],
    description: 'By e-mail address. One is removed ninety days after its end.',
    answers: 'InvitationPage',
    file: shownInvitation,
    query: {
      state: z.enum(invitationStates).optional(),
      organisation_uuid: uuid.optional().describe('With all that it gives in this organisation.'),
    },
    shown,
    rows: ({ service, by, query, after, limit }) =>
      listInvitations(service.store, by.authority.reach, query, { after: after(2), limit, now: by.now }),
  }),
  route({
    method: 'POST',
    path,
    permission: 'iam.invitations.create',
    summary: 'Invite somebody',
    example: "ines.moreau@acme.example --name 'Ines Moreau' --profile reader@acme --client submissions-web",
    named: 'email',
    description:
      'Nobody gives a role with a permission that they do not hold, which is asked again when the invitation is accepted; profiles need `iam.profiles.create`. Its link is mailed, or where no mail server is set in the answer. It can be accepted for seven days. The answer is the same whether the address has an account or not: somebody who has one signs in and accepts each profile.',
    answers: 'SentInvitation',
    refusals: ['forbidden'],
    body: newBody(invitation),
    async handle({ service, by, body, repeatable }) {
      const made = { uuid: randomUUID(), columns: newColumns(invitation, body), mail: service.mail }
      // What is kept to be repeated does not hold the link.
      const repeated = repeatable(sentAnswer(service, 'without'))
      const created = await createInvitation(service.store, by, made, repeated)
      return createdAnswer(created, sentAnswer(service, 'with the link'))
    },
  }),
  route({
    method: 'GET',
    path: one,
    permission: 'iam.invitations.read',
    summary: 'Read an invitation',
    example: '4c1d0b7e-9a35-4f6e-8d2b-7e1f0a9c3b01',
    answers: 'Invitation',
    async handle({ service, by, param }) {
      const row = await findInvitation(service.store.db, uuidOf(param('uuid'), 'invitation'), by.authority)
      if (row === undefined) throw notFound('invitation')
      return { status: 200, body: shown(asOf(row, by.now)), version: row.version }
    },
  }),
  route({
    method: 'POST',
    path: `${one}/resend`,
    permission: 'iam.invitations.create',
    summary: 'Send an invitation again',
    description:
      'With another link for seven days; the one from before no longer counts. Who does it is who invites from now on, and may give all that it gives.',
    answers: 'SentInvitation',
    repeatable: false,
    refusals: ['conflict', 'forbidden'],
    body: z.strictObject({}),
    async handle({ service, by, param, versions }) {
      const asked = { id: uuidOf(param('uuid'), 'invitation'), versions, mail: service.mail }
      return sentAnswer(service, 'with the link')(await resendInvitation(service.store, by, asked))
    },
  }),
  route({
    method: 'DELETE',
    path: one,
    permission: 'iam.invitations.delete',
    summary: 'Withdraw an invitation',
    description: 'Its link no longer counts. It stays listed as withdrawn.',
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    handle: ({ service, by, param, versions }) =>
      withdrawInvitation(service.store, by, { id: uuidOf(param('uuid'), 'invitation'), versions }),
  }),
]
