import { newColumns } from '../catalogue/columns.ts'
import { directory as directoryThing } from '../catalogue/directory.ts'
import { domain as domainThing } from '../catalogue/domain.ts'
import { upstream as upstreamThing } from '../catalogue/upstream.ts'
import { byKey } from '../access/by-key.ts'
import { newSecret } from '../protocol/identifier.ts'
import type { Comparison } from './comparison.ts'
import type { DeclaredDirectory, DeclaredOrganisation, DeclaredUpstream } from './declared.ts'
import { unitKey } from './names.ts'

/** What signs an organisation's people in and provisions them. A list that the file leaves out stays. */
export function compareOpening(
  comparison: Comparison,
  organisation: DeclaredOrganisation,
  { uuid, isAdopted }: { uuid: string; isAdopted: boolean },
): void {
  if (organisation.domains !== undefined) compareDomains(comparison, organisation.domains, uuid)
  if (organisation.upstreams !== undefined)
    compareUpstreams(comparison, organisation.upstreams, organisation.code)
  if (organisation.directories !== undefined)
    compareDirectories(comparison, organisation.directories, { organisation: organisation.code, isAdopted })
}

/** A file gives domains: they need no record. Those that the organisation claimed by itself are not its. */
function compareDomains(comparison: Comparison, names: readonly string[], organisation_uuid: string): void {
  const { state, settings } = comparison
  const { now } = settings
  const own = state.domains.filter((row) => row.organisation_uuid === organisation_uuid)
  const stored = byKey(own, (row) => row.name)
  for (const id of names) {
    const before = stored.get(id)
    const holder = state.domains.find((row) => row.name === id && row.holds === 1 && row !== before)
    const isTold = holder === undefined || comparison.writes.domains.remove.includes(holder)
    if (!isTold && before?.holds !== 1) {
      const about = { uuid: holder.uuid, organisation_uuid: holder.organisation_uuid }
      const changed = { updated_at: now }
      comparison.put('domain', holder, { given: 0, holds: 0 }, { id, about, changed })
    }
    const uuid = before?.uuid ?? settings.newUuid()
    const columns = {
      ...newColumns(domainThing, { organisation_uuid, name: id, given: true }),
      holds: 1 as const,
    }
    const none = { proved_at: null, checked_at: null, missing_since: null }
    const created = {
      uuid,
      token: `tessera-domain=${newSecret()}`,
      ...none,
      created_at: now,
      updated_at: now,
    }
    comparison.put('domain', before, columns, {
      id,
      about: { uuid, organisation_uuid },
      created,
      changed: { updated_at: now },
    })
  }
  for (const row of own)
    if (row.given === 1 && !names.includes(row.name))
      comparison.take('domain', row, { id: row.name, uuid: row.uuid, organisation_uuid })
}

/** Upstreams that the file names no more are disabled: people are linked to them. Without an organisation: the installation's. */
export function compareUpstreams(
  comparison: Comparison,
  upstreams: readonly DeclaredUpstream[],
  organisation: string | undefined,
): void {
  const { now, newUuid } = comparison.settings
  const organisation_uuid = comparison.uuidOf(organisation)
  const left = byKey(
    comparison.state.upstreams.filter((row) => row.organisation_uuid === organisation_uuid),
    (row) => row.code,
  )
  const idOf = (code: string) => (organisation === undefined ? code : unitKey(organisation, code))
  for (const { line, secret, ...upstream } of upstreams) {
    const before = left.get(upstream.code)
    left.delete(upstream.code)
    const [id, uuid] = [idOf(upstream.code), before?.uuid ?? newUuid()]
    const columns = newColumns(upstreamThing, { ...upstream, organisation_uuid })
    for (const name of fixed)
      if (before !== undefined && before[name] !== columns[name])
        comparison.problems.add(line, `${name} of an upstream never changes: another one is another upstream`)
    // One that is there has a secret that the file can't compare.
    const isGiven = secret !== undefined && (before === undefined || before.secret === null)
    if (isGiven) comparison.upstreamSecrets.set(uuid, secret)
    comparison.put('upstream', before, columns, {
      id,
      about: { uuid, organisation_uuid },
      created: { uuid, secret: null, private_key: null, created_at: now, updated_at: now },
      changed: { updated_at: now },
      hidden: isGiven ? ['client_secret'] : [],
    })
    comparison.manage('upstreams', before, { kind: 'upstream', id, key: uuid })
  }
  for (const row of left.values()) {
    // What an organisation set up by itself is not the file's.
    if (row.managed_by !== comparison.manager) continue
    comparison.marks.push({ table: 'upstreams', key: row.uuid, managedBy: null })
    comparison.disable('upstream', row, { id: idOf(row.code), uuid: row.uuid, organisation_uuid })
  }
}

/** What tells one upstream from another. */
const fixed = ['kind', 'issuer', 'url', 'base', 'subject'] as const

/** Directories that the file names no more are disabled: people were provisioned by them. */
function compareDirectories(
  comparison: Comparison,
  directories: readonly DeclaredDirectory[],
  { organisation, isAdopted }: { organisation: string; isAdopted: boolean },
): void {
  const { now, newUuid } = comparison.settings
  const organisation_uuid = comparison.uuidOf(organisation) ?? ''
  const left = byKey(
    comparison.state.directories.filter((row) => row.organisation_uuid === organisation_uuid),
    (row) => row.code,
  )
  for (const { line: _, ...directory } of directories) {
    const before = left.get(directory.code)
    left.delete(directory.code)
    const [id, uuid] = [unitKey(organisation, directory.code), before?.uuid ?? newUuid()]
    const columns = newColumns(directoryThing, { ...directory, organisation_uuid })
    // Whoever holds a token of somebody limited would give what the file says from now on.
    const isForeign = before?.limited_reach === 1 && (isAdopted || before.mapping !== columns.mapping)
    if (isForeign) {
      comparison.disowned.directories.push(uuid)
      comparison.adopted.push({ kind: 'directory', id, key: uuid, managedBy: null, loses: ['tokens'] })
    }
    comparison.put('directory', before, columns, {
      id,
      about: { uuid, organisation_uuid },
      created: { uuid, created_at: now, updated_at: now },
      changed: { updated_at: now, ...(isForeign && { limited_reach: 0 as const }) },
      hidden: isForeign ? ['tokens'] : [],
    })
  }
  for (const row of left.values())
    comparison.disable('directory', row, {
      id: unitKey(organisation, row.code),
      uuid: row.uuid,
      organisation_uuid,
    })
}
