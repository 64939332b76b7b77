/** The holders of a permission, as the API shows them: with the chain to it where that is asked for. */
import * as z from 'zod'
import { type ChainLink, permissionLink, personLinks } from '../access/explain.ts'
import { clientLinks } from '../access/explain-client.ts'
import { exchangeLinks } from '../access/explain-exchange.ts'
import { clientFacts, type HeldByRow, type Holder } from '../access/holders.ts'
import { shownOf } from '../catalogue/columns.ts'
import { profile } from '../catalogue/profile.ts'
import { shownSchema } from '../catalogue/schemas.ts'
import type { Store } from '../database/store.ts'
import { clientId, code, email, text, uuid } from './fields.ts'
import type { File } from './list-file.ts'

const { uuid: profile_uuid, user_uuid: _, active: __, ...held } = shownSchema(profile).shape
export const heldProfile = { profile_uuid, ...held }

export const chainLink = z.object({
  check: z.string().describe('Such as `role_has_permission`.'),
  holds: z.boolean(),
  detail: z.string(),
})

const chain = z
  .array(chainLink)
  .optional()
  .describe('With `include=chain`: what has to hold, from the person or the client to the permission.')

export const holder = z.union([
  z.object({ kind: z.literal('user'), user_uuid: uuid, email, name: text(200), ...heldProfile, chain }),
  z.object({
    kind: z.literal('client'),
    client_id: clientId,
    client_name: text(200),
    organisation_uuid: uuid.nullable(),
    acting_for: code
      .optional()
      .describe('It may do that by exchange for whoever calls this service, not for itself.'),
    chain,
  }),
])

type ListedHolder = Holder & { chain?: ChainLink[] }

export function shownProfile(row: HeldByRow) {
  const { uuid: profile_uuid, user_uuid: _, active: __, ...shown } = shownOf(profile, row)
  return { profile_uuid, ...shown }
}

export const shownLink = ({ check, holds, detail }: ChainLink) => ({ check, holds, detail })

export function shownHolder(one: ListedHolder): z.output<typeof holder> {
  const links = one.chain && { chain: one.chain.map(shownLink) }
  if (one.kind === 'client') {
    const { kind, client_id, client_name, organisation_uuid, acting_for } = one
    return { kind, client_id, client_name, organisation_uuid, ...(acting_for && { acting_for }), ...links }
  }
  const { user_uuid, email: address, name } = one
  return { kind: 'user', user_uuid, email: address, name, ...shownProfile(one), ...links }
}

/** A file for people to read, so with the names of things. */
export const holdersFile: File<ListedHolder> = {
  columns: [
    ...['kind', 'email', 'name', 'client_id', 'client_name', 'role_code', 'organisation_name', 'unit_name'],
    ...['expires_at', 'user_uuid', 'profile_uuid', 'organisation_uuid', 'organisation_unit_uuid'],
    'acting_for',
  ],
  itemOf: (one) => ({
    ...shownHolder(one),
    organisation_name: one.organisation_name,
    unit_name: one.kind === 'client' ? null : one.unit_name,
  }),
}

/** Adds what has to hold for each holder. One query for all clients, and none for people. */
export async function withChains(
  { db }: Store,
  holders: readonly Holder[],
  { permission, now }: { permission: string; now: number },
): Promise<ListedHolder[]> {
  const ids = holders.flatMap((one) => (one.kind === 'client' ? one.client_id : []))
  const rows = ids.length === 0 ? [] : await clientFacts(db, ids)
  const facts = new Map(rows.map((row) => [row.client_id, row]))
  return holders.map((one) => {
    const first = permissionLink(permission, true)
    if (one.kind === 'user') {
      const user = { name: one.name, active: one.user_active }
      return { ...one, chain: [first, ...personLinks(user, one, { permission, has: true, now })] }
    }
    const client = facts.get(one.client_id)
    if (client === undefined) return { ...one, chain: [first] }
    const links =
      one.acting_for === undefined
        ? clientLinks(client, { permission, requested: undefined, acts: 'machine' })
        : exchangeLinks(client, permission)
    return { ...one, chain: [first, ...links] }
  })
}
