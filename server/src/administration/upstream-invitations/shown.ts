/** How the API shows set-up links: what was entered, and what would come of it, never a secret. */
import { X509Certificate } from 'node:crypto'
import * as z from 'zod'
import { draftRow, entryHash, entryOf } from '../../upstream/drafts.ts'
import { providerNames, providers } from '../../upstream/providers.ts'
import type { Row } from '../by.ts'
import { code, instant, isoTime, pageOf, uuid } from '../fields.ts'

export type UpstreamInvitation = Row<'upstream_invitations'>

export const states = ['open', 'handed_in', 'confirmed', 'withdrawn', 'expired'] as const
export type UpstreamInvitationState = (typeof states)[number]

const entered = z.object({
  domain: z
    .object({
      name: z.string(),
      token: z.string().describe('The TXT record of `_tessera.` before the name.'),
      found_at: instant.nullable().describe('When the record was seen last; null: not yet.'),
    })
    .nullable()
    .describe(
      'Without one whose record was seen, and where the organisation has none, no address counts: only who has an account and proves it comes in, and guests where the upstream lets them in.',
    ),
  upstream: z
    .object({
      uuid: uuid.describe('That of the upstream that it becomes.'),
      provider: z.enum(providerNames),
      kind: z.enum(['oidc', 'saml']),
      code,
      issuer: z.string().describe('The issuer, or the entityID of SAML.'),
      client_id: z.string().nullable(),
      client_secret: z.boolean().describe('Whether one was entered; otherwise private_key_jwt.'),
      metadata_url: z.string().nullable(),
      metadata: z.boolean().describe('Whether the metadata itself was entered.'),
      sso: z.string().nullable().describe('Of SAML: where people are sent.'),
      slo: z.string().nullable().describe('Of SAML: where they are sent to sign out there.'),
      certificates: z.array(z.string()).describe('Of SAML: SHA-256 of each certificate that signs.'),
    })
    .nullable(),
  directory: z
    .object({ code })
    .nullable()
    .describe('A directory with one token for SCIM, which is answered 401 until this is confirmed.'),
})

export const shownInvitation = z.object({
  uuid,
  organisation_uuid: uuid,
  state: z.enum(states),
  made_by: z.object({ kind: z.string(), id: z.string().nullable() }),
  created_at: instant,
  opened_at: instant
    .nullable()
    .describe('When somebody began; from then on it counts in that browser alone.'),
  handed_in_at: instant.nullable(),
  confirmed_at: instant.nullable(),
  expires_at: instant.describe(
    'Of an open one: three days after it was made. Of what was handed in: 14 days after.',
  ),
  tried_at: instant.nullable().describe('When a trial of what is entered now succeeded last.'),
  entry: entered,
  entry_hash: z.string().describe('Of all that would come to count: whoever confirms it names it.'),
})

export const upstreamInvitationSchemas = {
  UpstreamInvitation: shownInvitation,
  UpstreamInvitationPage: pageOf(shownInvitation),
  CreatedUpstreamInvitation: shownInvitation.extend({
    address: z.string().optional().describe('The set-up link: in this answer alone.'),
  }),
  ConfirmedUpstreamInvitation: shownInvitation.extend({
    made: z
      .object({ domain: uuid.nullable(), upstream: uuid.nullable(), directory: uuid.nullable() })
      .describe('What was made, by uuid.'),
  }),
}

export const stateAt = ({ state, expires_at }: UpstreamInvitation, now: number): UpstreamInvitationState =>
  (state === 'open' || state === 'handed_in') && expires_at <= now ? 'expired' : state

const timeOf = (at: number | null) => (at === null ? null : isoTime(at))

export function shownAt(row: UpstreamInvitation, now: number): z.output<typeof shownInvitation> {
  const { uuid: own, organisation_uuid } = row
  const { kind, id = null } = JSON.parse(row.made_by) as { kind: string; id?: string }
  const { domain, directory } = entryOf(row)
  const found_at = timeOf(domain?.found_at ?? null)
  return {
    uuid: own,
    organisation_uuid,
    state: stateAt(row, now),
    made_by: { kind, id },
    created_at: isoTime(row.created_at),
    opened_at: timeOf(row.opened_at),
    handed_in_at: timeOf(row.handed_in_at),
    confirmed_at: timeOf(row.confirmed_at),
    expires_at: isoTime(row.expires_at),
    tried_at: timeOf(row.tried_at),
    entry: {
      domain: domain === undefined ? null : { ...domain, found_at },
      upstream: shownDraft(row),
      directory: directory ?? null,
    },
    entry_hash: entryHash(row),
  }
}

function shownDraft(row: UpstreamInvitation): z.output<typeof entered>['upstream'] {
  const { provider, values } = entryOf(row)
  if (provider === undefined || values === undefined) return null
  const { issuer, client_id, secret_id, metadata_url, metadata, documents } = values
  return {
    uuid: row.upstream_uuid,
    provider,
    kind: providers[provider].kind,
    code: draftRow(row, '').code,
    issuer,
    client_id,
    client_secret: secret_id !== null,
    metadata_url,
    metadata: metadata !== null,
    sso: documents?.sso ?? null,
    slo: documents?.slo ?? null,
    certificates: (documents?.certificates ?? []).map((pem) => new X509Certificate(pem).fingerprint256),
  }
}
