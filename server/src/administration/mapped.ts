/** What a source may give, and to whom it opens accounts: asked of whoever sets up an upstream or a directory. */
import { heldAt } from '../access/reach.ts'
import { rowOf } from '../database/rows.ts'
import { wrongField } from '../protocol/problem.ts'
import type { AuditEvent } from '../audit/record.ts'
import type { Writes } from '../store/write/rows.ts'
import { remapDirectory, remapUpstream } from '../upstream/remapped.ts'
import type { By, Transacting } from './by.ts'
import { checkNewProfile } from './placement.ts'

interface Mapped {
  organisation_uuid: string | null
  mapping: string
}

interface Rule {
  role: string
  unit?: string
}

/**
 * Throws unless who changes it could give all that it opens: each profile of its mapping, and whatever anybody holds in
 * the organisation, whose accounts it can sign in to. One of the whole installation opens everything.
 */
export async function checkOpened(trx: Transacting, { authority }: By, row: Mapped): Promise<void> {
  const { organisation_uuid: organisation } = row
  if (organisation === null) return authority.changesEverything()
  await checkMapping(trx, { authority }, row.mapping, organisation)
  authority.changes(await heldAt(trx, { organisation }))
}

/** Throws unless each of these profiles could be given; names the rule. */
async function checkMapping(
  trx: Transacting,
  { authority }: Pick<By, 'authority'>,
  mapping: string,
  organisation_uuid: string,
): Promise<void> {
  for (const [index, { role: role_code, unit: code }] of (JSON.parse(mapping) as Rule[]).entries()) {
    const field = `mapping.${index}.`
    const unit = code === undefined ? undefined : await rowOf(trx, 'units', { organisation_uuid, code })
    if (code !== undefined && unit === undefined)
      throw wrongField(`${field}unit`, 'There is no such unit in this organisation.')
    const profile = { role_code, organisation_uuid, unit_uuid: unit?.uuid ?? null }
    await checkNewProfile(trx, profile, authority, field)
  }
}

/** What changed mappings of a declared file give now. Yields what is to be recorded. */
export async function remapAll(
  trx: Transacting,
  { upstreams, directories }: Writes,
  now: number,
): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (const { before, set } of upstreams.update)
    if (set.mapping !== undefined || set.recheck_days !== undefined)
      events.push(...(await remapUpstream(trx, { ...before, ...set }, now)))
  for (const { before, set } of directories.update)
    if (set.mapping !== undefined || set.active !== undefined)
      events.push(...(await remapDirectory(trx, { ...before, ...set }, now)))
  return events
}
