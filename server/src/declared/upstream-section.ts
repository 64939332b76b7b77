import type { FieldProblem } from '../protocol/problem.ts'
import { upstreamProblems } from '../protocol/upstream-rules.ts'
import type { DeclaredDirectory, DeclaredOrganisation, DeclaredUpstream } from './declared.ts'
import { unitKey } from './names.ts'
import type { Checked, Place } from './reading.ts'
import type { Said } from './schema.ts'

/** What signs an organisation's people in and provisions them. */
export function openingOfFile({
  said,
  whole,
  place,
}: Checked<Said<'organisations'>>): Pick<DeclaredOrganisation, 'domains' | 'upstreams' | 'directories'> {
  const { code, domains = [], upstreams = [], directories = [] } = said
  for (const [index, name] of domains.entries()) place.at('domains', index).claim('domain', name)
  for (const [index, one] of upstreams.entries()) {
    const below = place.at('upstreams', index)
    below.at('code').claim('upstream', unitKey(code, one?.code), one?.code)
    referToPlaces(one?.mapping, code, below.at('mapping'))
  }
  for (const [index, one] of directories.entries()) {
    const below = place.at('directories', index)
    below.at('code').claim('directory', unitKey(code, one?.code), one?.code)
    referToPlaces(one?.mapping, code, below.at('mapping'))
  }
  return {
    domains: whole?.domains,
    upstreams: whole?.upstreams?.map((one, index) =>
      declaredUpstream(one, place.at('upstreams', index), code ?? ''),
    ),
    directories: whole?.directories?.map((one, index) =>
      declaredDirectory(one, place.at('directories', index)),
    ),
  }
}

/** One of the whole installation. */
export function upstreamOfFile({
  said,
  whole,
  place,
}: Checked<Said<'upstreams'>>): DeclaredUpstream | undefined {
  place.at('code').claim('upstream', said.code)
  return whole && declaredUpstream(whole, place, null)
}

function declaredUpstream(
  one: Said<'upstreams'>,
  place: Place,
  organisation: string | null,
): DeclaredUpstream {
  const { client_secret: client, bind_password: bind, ...fields } = one
  // The mapping of an installation's upstream is refused by the same rules.
  report(upstreamProblems({ ...one, organisation_uuid: organisation }), place)
  return { ...fields, line: place.line, secret: client ?? bind }
}

function declaredDirectory(
  one: NonNullable<Said<'organisations'>['directories']>[number],
  place: Place,
): DeclaredDirectory {
  for (const [index, rule] of (one.mapping ?? []).entries())
    if (rule.claim !== undefined) place.at('mapping', index).problem('a directory has groups alone')
  return { ...one, line: place.line }
}

const report = (problems: readonly FieldProblem[], place: Place): void => {
  for (const { field, detail } of problems) place.at(field).problem(`${field}: ${detail.replace(/\.$/, '')}`)
}

type Rules = readonly ({ role?: string | undefined; unit?: string | undefined } | undefined)[]

/** Roles and units of a mapping are those of the file. */
function referToPlaces(mapping: Rules | undefined, organisation: string | undefined, place: Place): void {
  for (const [index, rule] of (mapping ?? []).entries()) {
    place.at(index, 'role').refer('role', rule?.role)
    place.at(index, 'unit').refer('unit', unitKey(organisation, rule?.unit))
  }
}
