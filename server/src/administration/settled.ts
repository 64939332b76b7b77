import * as z from 'zod'
import { keptOf, settled, type Settled, settledNames, settledOf } from '../catalogue/settled.ts'
import { rowOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { writeChange } from '../store/write/write.ts'
import { administered } from '../protocol/things.ts'
import type { By, Row, Transacting } from './by.ts'
import { checkIssuers, seenIssuers } from './clients/federated.ts'
import { checkInstallation } from './organisations/break-glass.ts'
import { checkForcedEverywhere } from './organisations/forced.ts'
import { change } from './change.ts'
import { route, type Route } from './route.ts'
import { compared, inVersion, type Versions } from './version.ts'

/** What the installation has one of: it is read and set as a whole. */

type StoredInstallation = Row<'installation'>

const managedBy = z
  .string()
  .nullable()
  .describe('The declared file that manages it, which changes only when `Tessera-Managed: override` is sent.')
const shape = <S extends z.ZodRawShape>(body: z.ZodObject<S>) =>
  body.required().extend({ managed_by: managedBy })

export const settledSchemas = {
  Policy: shape(settled.policy),
  Branding: shape(settled.branding),
  BreakGlass: shape(settled.break_glass),
  AssertionIssuers: shape(settled.assertion_issuers),
}

const shownOf = (what: Settled, { kept, managed_by }: StoredInstallation) => ({
  ...settledOf(what, kept),
  managed_by,
})
const answerOf = (what: Settled, row: StoredInstallation) =>
  ({ status: 200, body: shownOf(what, row), version: row.version }) as const

interface SettledWords {
  answers: keyof typeof settledSchemas
  /** What it is, and what setting it does. */
  read: string
  set: string
}

const words: Record<Settled, SettledWords> = {
  policy: {
    answers: 'Policy',
    read: 'How strongly everybody signs in, at the least, where it is set.',
    set: 'It counts for everybody at the next authorization request, exchange and refresh; sessions stay. For administrators of the whole installation; those of everything alone may loosen it.',
  },
  branding: {
    answers: 'Branding',
    read: 'How pages and mails look, where no organisation with a branding of its own is known.',
    set: 'The next page shows it; logos are fetched within seconds. For administrators of the whole installation.',
  },
  break_glass: {
    answers: 'BreakGlass',
    read: 'Who gets in when the upstreams of the whole installation do not work.',
    set: 'All administrators are told. For somebody who administers everything, and nobody names themself.',
  },
  assertion_issuers: {
    answers: 'AssertionIssuers',
    read: 'Whose tokens a client may prove itself by, instead of a key of its own. An administrator of an organisation sees those that prove its clients.',
    set: 'It counts at the next request; a client of an issuer that goes proves itself no more. For somebody who administers everything, with a recent sign-in.',
  },
}

const routesOf = (what: Settled, { many, settled: named } = administered[what]): Route[] => [
  route({
    method: 'GET',
    path: `/${many}`,
    permission: `iam.${many}.read`,
    summary: `Read the ${named}`,
    description: words[what].read,
    answers: words[what].answers,
    handle: async ({ service, by }) => {
      const stored = await rowOf(service.store.db, 'installation', { name: what })
      const { kept, ...row } = inVersion(stored, what, undefined)
      const seen = what === 'assertion_issuers' ? seenIssuers(kept, by.authority.reach) : kept
      return answerOf(what, { ...row, kept: seen })
    },
  }),
  route({
    method: 'PUT',
    path: `/${many}`,
    permission: `iam.${many}.update`,
    summary: `Set the ${named}`,
    description: `The whole of it: what is left out is not set. ${words[what].set}`,
    answers: words[what].answers,
    refusals: ['conflict', 'forbidden', 'managed_by_file'],
    body: settled[what] as z.ZodObject,
    handle: async ({ service, by, versions, body }) =>
      answerOf(what, await set(service.store, by, what, { versions, kept: keptOf(what, body) })),
  }),
]

export const settledRoutes = settledNames.flatMap((what) => routesOf(what))

/** What throws unless who asks may set it so. */
const checks: Record<Settled, (trx: Transacting, by: By, before: string, after: string) => Promise<void>> = {
  policy: async (trx, by, before, after) => {
    by.authority.changesPolicy(before, after)
    await checkForcedEverywhere(trx, by, before, after)
  },
  branding: async () => undefined,
  break_glass: checkInstallation,
  assertion_issuers: checkIssuers,
}

/** Concurrency: see `change`; the version is compared in the statement that writes. */
async function set(
  store: Store,
  by: By,
  what: Settled,
  { versions, kept }: { versions: Versions; kept: string },
): Promise<StoredInstallation> {
  by.authority.changesInstallation()
  return await change(store, by, async (trx) => {
    const before = inVersion(await rowOf(trx, 'installation', { name: what }), what, versions)
    if (kept === before.kept) return { result: before }
    await checks[what](trx, by, before.kept, kept)
    const after = await writeChange(trx, 'installation', before, { kept }, compared(by))
    const told = { before: shownOf(what, before), after: shownOf(what, after), managedBy: before.managed_by }
    return { result: after, told: { thing: what, id: 'installation', ...told } }
  })
}
