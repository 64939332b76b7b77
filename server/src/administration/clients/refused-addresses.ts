import * as z from 'zod'
import { shownOf } from '../../catalogue/columns.ts'
import { client as catalogued } from '../../catalogue/client.ts'
import {
  differences,
  mismatchCure,
  mismatchDetail,
  parameterOf,
  registering,
  type Registered,
} from '../../protocol/address-mismatch.ts'
import { notFound } from '../../protocol/problem.ts'
import { refusedAddresses } from '../../store/refused-addresses.ts'
import type { Row } from '../by.ts'
import { isoTime } from '../fields.ts'
import { idIn } from '../resource.ts'
import { type AdministrationService, route } from '../route.ts'
import { clients } from './verbs.ts'

/** Addresses that a client asked to return to and has not registered: what came, and what is nearest. */

const refusedAddress = z.object({
  parameter: z.enum(['redirect_uri', 'post_logout_redirect_uri']),
  came: z
    .string()
    .nullable()
    .describe(
      'As it was sent. Anybody can send one: it need not be of the application. Null: none was sent.',
    ),
  nearest: z.string().nullable().describe('What is registered and differs least; null: nothing is.'),
  differences: z.array(z.enum(differences)),
  differs_at: z.int().describe('The index at which the two begin to differ.'),
  at: z.iso.datetime(),
  detail: z.string(),
  cure: z.string(),
  command: z
    .string()
    .nullable()
    .describe('Registers what came. Null: it can’t be, or a file manages the client.'),
})

export const refusedAddressArray = z.array(refusedAddress)
export const refusedAddressList = z.object({ items: refusedAddressArray })

type ClientRow = Row<'clients'>

/** What a row says is registered. */
export const registeredOf = (row: ClientRow): Registered => ({
  ...shownOf(catalogued, row),
  ...(row.metadata === 'document' && { application_type: 'document' }),
})

/** The last ones of a week that are not registered by now. */
export async function refusedOf(
  { store }: AdministrationService,
  row: ClientRow,
  now: number,
): Promise<z.output<typeof refusedAddressArray>> {
  const found = await refusedAddresses(store.db, registeredOf(row), now)
  const file = row.managed_by
  return found.map((one) => ({
    parameter: parameterOf(one.field),
    came: one.came ?? null,
    nearest: one.nearest ?? null,
    differences: [...one.differences],
    differs_at: one.differsAt,
    at: isoTime(one.at),
    detail: mismatchDetail(one),
    cure:
      mismatchCure(one) +
      (file === null ? '' : ` The declared file ${file} says what is registered; change it there.`),
    command: file === null ? (registering(one) ?? null) : null,
  }))
}

export const refusedAddressesRoute = route({
  method: 'GET',
  path: '/clients/:client_id/refused-addresses',
  permission: 'iam.clients.read',
  summary: 'List the addresses that were refused of a client',
  description:
    'The last `redirect_uri` and the last `post_logout_redirect_uri` of a week that the client has not registered: what came, the registered address that is nearest, where they differ, and the command that registers it. Anybody can send one with the id of the client.',
  answers: 'RefusedAddresses',
  async handle({ service, by, param }) {
    const id = idIn(clients, param('client_id'), by.authority)
    const row = await clients.find(service.store.db, id, by.authority)
    if (row === undefined) throw notFound('client')
    return { status: 200, body: { items: await refusedOf(service, row, by.now) } }
  },
})
