import * as z from 'zod'
import { newBody } from './schemas.ts'
import { choice, clientId, email, json, locale, text, uuid } from './kinds.ts'
import { profile } from './profile.ts'
import { defined, managedBy, time } from './thing.ts'

export const invitationStates = ['pending', 'accepted', 'withdrawn', 'expired'] as const
export type InvitationState = (typeof invitationStates)[number]

const profiles = z
  .array(newBody(profile).omit({ user_uuid: true, active: true }))
  .max(50)
  .refine((list) => new Set(list.map((one) => JSON.stringify(placeOf(one)))).size === list.length, {
    error: 'Two of them are the same.',
  })
export type InvitedProfile = z.output<typeof profiles>[number]

const placeOf = ({ role_code, organisation_uuid, organisation_unit_uuid }: InvitedPlace) => [
  role_code,
  organisation_uuid ?? null,
  organisation_unit_uuid ?? null,
]
interface InvitedPlace {
  role_code: string
  organisation_uuid?: string | null | undefined
  organisation_unit_uuid?: string | null | undefined
}

const invitedBy = z.object({
  kind: z.string(),
  id: z.string().optional(),
  profile_uuid: z.string().optional(),
  client_id: z.string().optional(),
  at: z.iso.datetime(),
})
export type InvitedBy = z.output<typeof invitedBy>

/** Somebody who is asked to join. There is no user before they accept, so nothing of it changes after it was sent. */
export const invitation = defined({
  uuid: { kind: uuid, set: 'never' },
  email: {
    kind: email,
    set: 'at creation',
    description: 'Where it is sent, and the address of the new user.',
  },
  name: { kind: text(200), set: 'at creation', nullable: true, description: 'They can write it otherwise.' },
  locale: { kind: locale, set: 'at creation', nullable: true, description: 'The language of its mail.' },
  profiles: {
    kind: json(profiles),
    set: 'at creation',
    initial: [],
    description:
      'What they may do, and where, once they accept. An administrator of an organisation gives at least one in it.',
  },
  client_id: {
    kind: clientId,
    set: 'at creation',
    nullable: true,
    description: 'The application that they are led to once they have accepted.',
  },
  state: { kind: choice(...invitationStates), set: 'never' },
  invited_by: {
    kind: json(invitedBy),
    set: 'never',
    description:
      'Whose rights are asked again when it is accepted: somebody under a profile and through a client.',
  },
  expires_at: { ...time, description: 'Until when its link can be used.' },
  managed_by: managedBy,
  created_at: time,
  updated_at: time,
})
