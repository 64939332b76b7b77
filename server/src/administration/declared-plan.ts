import * as z from 'zod'
import { proves } from './proving.ts'
import { enrol, entrants, forced, refresh } from './stopped.ts'

/** A plan as it is answered: see `declared/plan.ts`. */

const value = z.unknown().describe('JSON, under the name that the file has for the field.')
const field = z.object({
  field: z.string(),
  before: value.optional(),
  after: value.optional(),
  hidden: z.literal(true).optional().describe('A secret: that it changes is all that is told.'),
})
const change = z.object({
  kind: z.string().describe('Such as `user`, `profile`, `policy` or `break_glass`.'),
  action: z.enum(['create', 'change', 'remove']),
  id: z.string().describe('A code, an address or a client_id; `organisation/unit` of a unit.'),
  fields: z.array(field),
  pruned: z.literal(true).optional().describe('Because the file managed it and names it no more.'),
})
const place = {
  organisation: z.string().nullable().describe('Its code; null: everywhere.'),
  gains: z.array(z.string()),
  loses: z.array(z.string()),
}
const made = { made_by: z.string().nullable(), made_at: z.iso.datetime().nullable() }
const named = z.object({ kind: z.string(), id: z.string() })

export const declaredPlan = z.object({
  changes: z.array(change),
  access: z.object({
    users: z.array(z.object({ email: z.string(), ...place, unit: z.string().nullable() })),
    clients: z.array(
      z.object({
        client_id: z.string(),
        ...place,
        acting_for: z
          .string()
          .optional()
          .describe('What it gets by exchange for the people who call this service, not for itself.'),
      }),
    ),
  }),
  weakens: z
    .array(z.object({ client_id: z.string(), field: z.string(), detail: z.string() }))
    .optional()
    .describe('What makes a client, or the sign-in through it, weaker than before.'),
  proves: proves.optional(),
  strengthens: z
    .object({ enrol, refresh, sign_in: forced.optional() })
    .optional()
    .describe('How many people stricter policies stop.'),
  enters: z
    .array(z.object({ client_id: z.string(), shut_out: entrants, let_in: entrants }))
    .optional()
    .describe('How many people could sign in to which application no longer, and how many newly.'),
  unmet: z
    .array(z.object({ client_id: z.string(), entries: z.array(z.string()) }))
    .optional()
    .describe('What clients of the file let in no more, because it was removed since.'),
  adopts: z
    .array(
      named.extend({
        ...made,
        managed_by: z.string().nullable().describe('The file that managed it until now.'),
        keeps: z.array(z.string()),
        loses: z.array(z.string()),
      }),
    )
    .optional()
    .describe('What is there already and this file does not manage yet.'),
  waits: z
    .array(z.object({ email: z.string(), profile: z.string(), ...made }))
    .optional()
    .describe('Profiles that wait until somebody proves whose the account is.'),
  holds: z
    .array(z.object({ email: z.string(), holder: z.string(), user_uuid: z.string(), until: z.string() }))
    .optional()
    .describe('Addresses that somebody gave up and could take back until now.'),
  unnamed: z
    .array(named)
    .optional()
    .describe('What the file managed and names no more, and stays unless it is pruned.'),
})
