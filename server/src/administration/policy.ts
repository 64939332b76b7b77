import * as z from 'zod'
import { policyBody } from '../catalogue/json.ts'
import { moveRevision } from '../database/revision.ts'
import { rowOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { mergedPolicy, spelledOut } from '../protocol/policy.ts'
import type { By, Row } from './by.ts'
import { change } from './change.ts'
import { route, type Route } from './route.ts'
import { inVersion, type Versions, writeVersion } from './version.ts'

/** The policy of the installation: there is one, which is read and set as a whole. */

type Kept = Row<'installation'>

const schema = policyBody.required().extend({
  managed_by: z
    .string()
    .nullable()
    .describe(
      'The declared file that manages it, which changes only when `Tessera-Managed: override` is sent.',
    ),
})

export const policySchemas = { Policy: schema }

const shown = ({ kept, managed_by }: Kept) => ({ ...spelledOut(kept), managed_by })
const answerOf = (row: Kept) => ({ status: 200, body: shown(row), version: row.version }) as const
const key = { name: 'policy' } as const

export const policyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/policy',
    permission: 'iam.policy.read',
    summary: 'Read the policy of the installation',
    description: 'How strongly everybody signs in, at the least, where it is set.',
    answers: 'Policy',
    handle: async ({ service }) =>
      answerOf(inVersion(await rowOf(service.store.db, 'installation', key), 'policy', undefined)),
  }),
  route({
    method: 'PUT',
    path: '/policy',
    permission: 'iam.policy.update',
    summary: 'Set the policy of the installation',
    description:
      'The whole of it: what is left out is not set. It counts for everybody at the next authorization request, exchange and refresh; sessions stay. For administrators of the whole installation; those of everything alone may loosen it.',
    answers: 'Policy',
    refusals: ['forbidden', 'managed_by_file'],
    body: policyBody,
    handle: async ({ service, by, versions, body }) =>
      answerOf(await setPolicy(service.store, by, versions, JSON.stringify(body))),
  }),
]

/** Concurrency: see `change`; the version is compared in the statement that writes. */
async function setPolicy(store: Store, by: By, versions: Versions, policy: string): Promise<Kept> {
  by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = inVersion(await rowOf(trx, 'installation', key), 'policy', versions)
    const kept = mergedPolicy(null, policy) ?? '{}'
    if (kept === before.kept) return { result: before }
    by.authority.changesPolicy(before.kept, kept)
    const after = await writeVersion(trx, 'installation', before, { kept })
    await moveRevision(trx)
    const told = { before: shown(before), after: shown(after), managedBy: before.managed_by }
    return { result: after, told: { thing: 'policy', id: 'installation', ...told } }
  })
}
