import * as z from 'zod'
import { settled } from '../audit/link.ts'
import { lastVerified, recordsAfter, type Verification, verifiedStates } from '../audit/verification.ts'
import { isoTime } from './fields.ts'
import { route, type Route } from './route.ts'

/** What `tessera audit verify` found last. Nothing is checked here: that reads every record. */

const verification = z.object({
  at: z.iso.datetime().describe('When it began.'),
  by: z.string().describe('The `user@host` that ran `tessera audit verify`.'),
  sequence: z.int().describe('Up to which record it went; 0: an empty audit, or its head was gone.'),
  hash: z.string().describe('Of that record.'),
  records: z.int().describe('How many it read; archived ones are not among them.'),
  problems: z.int().describe('How much was wrong.'),
})

const verified = z.object({
  state: z
    .enum(verifiedStates)
    .describe(
      '`never`: no verification was kept. `whole`: the last one found nothing wrong. `broken`: it found something. `not_marked`: what is kept was written, altered or removed in part by somebody without the secret. `not_kept`: it found nothing wrong, and the record where it ended is no longer in the audit.',
    ),
  last: verification.nullable().describe('Whatever it found; null: there is none that the key has marked.'),
  whole: verification.nullable().describe('The last one that found nothing wrong.'),
  unverified: z
    .object({
      records: z.int(),
      since: z.iso
        .datetime()
        .nullable()
        .describe(
          'When the first of them was made; null: there is none, or it was altered to what is no time.',
        ),
    })
    .describe('What was recorded after the last one that found nothing wrong, or all where there is none.'),
})

export const auditVerificationSchemas = { AuditVerification: verified }

export const auditVerificationRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/audit/verification',
    permission: 'iam.audit.read',
    summary: 'Read when the audit was last verified',
    description:
      'What the last `tessera audit verify` on the database found, and how much was recorded since. Asking checks no record. For administrators of the whole installation: the chain holds the records of all organisations.',
    answers: 'AuditVerification',
    refusals: ['forbidden'],
    async handle({ service: { store }, by }) {
      by.authority.changesInstallation()
      await settled(store)
      const { state, last, whole } = await lastVerified(store)
      const { records, since } = await recordsAfter(store, whole?.sequence ?? 0)
      const unverified = { records, since: since === null ? null : isoTime(since) }
      return { status: 200, body: { state, last: shown(last), whole: shown(whole), unverified } }
    },
  }),
]

const shown = (found: Verification | undefined): z.output<typeof verification> | null =>
  found === undefined ? null : verification.parse({ ...found, at: isoTime(found.at) })
