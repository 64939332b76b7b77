import type { client } from '../../catalogue/client.ts'
import type { ColumnsOf } from '../../catalogue/thing.ts'
import { exchangeIn } from '../../protocol/exchange.ts'
import {
  expandPermissions,
  iamPermissions,
  iamService,
  iamWildcard,
  isPermission,
} from '../../protocol/permission.ts'
import type { ProxiedRoutes } from '../../protocol/proxied-routes.ts'
import { wrongField } from '../../protocol/problem.ts'
import { textList } from '../../store/clients.ts'
import type { ClientRow } from '../../database/schema.ts'
import type { Row, Transacting } from '../by.ts'
import type { Authority } from '../authority.ts'
import { checkOwner } from '../placement.ts'
import { isThere } from '../../database/rows.ts'
import { checkAllowed } from './entry.ts'
import { checkFederated } from './federated.ts'

/** What of a client can be written. */
export type ClientColumns = Omit<ColumnsOf<typeof client>, 'client_id' | 'type'>

/** What can be done through a client at the most: by its tokens, and by those that it gets for others by exchange. */
export async function mostOf(
  trx: Transacting,
  client: Pick<ClientRow, 'services' | 'permissions' | 'exchange'>,
): Promise<string[]> {
  return [...new Set([...(await mostOfTokens(trx, client)), ...exchangeIn(client.exchange).permissions])]
}

/** The client's allow-list, or all permissions of its services where it has none. */
async function mostOfTokens(
  trx: Transacting,
  client: Pick<ClientRow, 'services' | 'permissions'>,
): Promise<string[]> {
  if (client.permissions !== null) return expandPermissions(textList(client.permissions))
  const services = textList(client.services)
  if (services.length === 0) return []
  const rows = await trx
    .selectFrom('permissions')
    .select('code')
    .where('service_code', 'in', services)
    .execute()
  return [...rows.map((row) => row.code), ...(services.includes(iamService) ? iamPermissions : [])]
}

/** Throws when a client may not become so: by what it refers to, or by what the administrator may give. */
export async function checkColumns(
  trx: Transacting,
  before: Row<'clients'> | undefined,
  columns: ClientColumns,
  authority: Authority,
): Promise<void> {
  // Whoever is a service may act for all who call it. Asked before whether there is one of that code.
  if (columns.acts_as !== (before?.acts_as ?? null)) authority.changesInstallation()
  if (authority.reach.organisation_uuid !== undefined) checkSeen(before, columns, authority)
  await checkReferences(trx, columns)
  await checkRoutes(trx, before, columns, authority)
  await checkAllowed(trx, before?.allowed ?? null, columns.allowed, authority)
  await checkOrigins(trx, before, columns, authority)
  await checkOwner(trx, 'client', columns.organisation_uuid, authority)
  // The owner is checked first: a refusal tells nothing of what is declared for another place.
  await checkFederated(trx, before, columns)
  if (before !== undefined && before.organisation_uuid !== columns.organisation_uuid) {
    authority.changesInstallation()
  }
  if (before !== undefined) authority.changesPolicy(before.policy, columns.policy)
  // A first-party client gets in without anybody's consent.
  if (columns.first_party !== (before?.first_party ?? 0)) authority.changesInstallation()
  // Pages name the host of a document, which never said what comes along.
  const { document } = columns
  if (document !== null && document !== (before?.document ?? null)) authority.changesInstallation()
  const had = before === undefined ? [] : await mostOf(trx, before)
  const more = (await mostOf(trx, columns)).filter((one) => !had.includes(one))
  if (
    authority.reach.organisation_uuid !== undefined &&
    columns.permissions === null &&
    !authority.holds((await mostOfTokens(trx, columns)).filter((one) => !had.includes(one)))
  ) {
    throw wrongField(
      'permissions',
      'Without a list everything could be done through it at its services, which is more than you hold; list what may be.',
      'forbidden',
    )
  }
  authority.grants(more)
}

/**
 * An administrator of an organisation refers to what they hold permissions of: the refusal is the same for what they
 * do not see and for what is not there. What a client has already stays.
 */
function checkSeen(before: Row<'clients'> | undefined, columns: ClientColumns, authority: Authority): void {
  const [permissions, services] = [textList(before?.permissions ?? '[]'), textList(before?.services ?? '[]')]
  const listed = textList(columns.permissions ?? '[]').filter((one) => !permissions.includes(one))
  authority.grants(expandPermissions(listed))
  for (const code of textList(columns.services)) {
    if (!services.includes(code) && !authority.holdsAnyOf(code)) throw noSuchService(code)
  }
  const [had, has] = [exchangeIn(before?.exchange ?? null), exchangeIn(columns.exchange)]
  authority.grants(has.permissions.filter((one) => !had.permissions.includes(one)))
  for (const code of has.services)
    if (!had.services.includes(code) && !authority.holdsAnyOf(code)) throw noSuchService(code, 'exchange')
}

/** Origins are where people are signed in to: administrators of the whole installation alone change them. */
async function checkOrigins(
  trx: Transacting,
  before: Row<'clients'> | undefined,
  columns: ClientColumns,
  authority: Authority,
): Promise<void> {
  const [had, listed] = [textList(before?.origins ?? '[]'), textList(columns.origins)]
  const added = listed.filter((one) => !had.includes(one))
  if (added.length > 0 || listed.length < had.length) authority.changesInstallation()
  for (const [index, origin] of listed.entries())
    if (added.includes(origin) && (await isThere(trx, 'proxied_origins', { origin })))
      throw wrongField(`origins.${index}`, 'Another client has this origin.', 'conflict')
}

const noSuchService = (code: string, field = 'services') => wrongField(field, `There is no service ${code}.`)

async function checkReferences(trx: Transacting, columns: ClientColumns): Promise<void> {
  for (const code of textList(columns.services)) {
    if (code !== iamService && !(await isThere(trx, 'services', { code }))) throw noSuchService(code)
  }
  for (const code of textList(columns.permissions ?? '[]'))
    if (!(await isKnown(trx, code))) throw wrongField('permissions', `There is no permission ${code}.`)
  await checkExchange(trx, columns)
}

/** `iam` is refused by the rules of the client before. */
async function checkExchange(trx: Transacting, { acts_as, exchange }: ClientColumns): Promise<void> {
  const isService = async (code: string) => await isThere(trx, 'services', { code })
  if (acts_as !== null && !(await isService(acts_as))) throw noSuchService(acts_as, 'acts_as')
  const { services, permissions } = exchangeIn(exchange)
  for (const code of services) if (!(await isService(code))) throw noSuchService(code, 'exchange')
  for (const code of permissions)
    if (!(await isKnown(trx, code))) throw wrongField('exchange', `There is no permission ${code}.`)
}

const isKnown = async (trx: Transacting, code: string): Promise<boolean> =>
  code === iamWildcard || iamPermissions.includes(code) || (await isThere(trx, 'permissions', { code }))

/** Routes demand what is there and what the administrator sees. What they demanded before stays, also what was removed. */
async function checkRoutes(
  trx: Transacting,
  before: Row<'clients'> | undefined,
  columns: ClientColumns,
  { sees }: Authority,
): Promise<void> {
  const demandedBy = (routes: string | null | undefined) =>
    Object.values(JSON.parse(routes ?? '{}') as ProxiedRoutes).filter(isPermission)
  const had = demandedBy(before?.routes)
  for (const code of new Set(demandedBy(columns.routes))) {
    const isSeen = sees?.includes(code) !== false && (await isKnown(trx, code))
    if (!had.includes(code) && !isSeen) throw wrongField('routes', `There is no permission ${code}.`)
  }
}
