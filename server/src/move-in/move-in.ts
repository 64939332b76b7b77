import { maxFileBytes, parseDeclared } from '../declared/format.ts'
import { DeclaredFileError } from '../declared/problems.ts'
import { type DeclaredEntry, entriesText, valuesText } from '../declared/text.ts'
import { declaredOrganisations, declaredRoles, Permissions, placedRoles, policyOf } from './access.ts'
import { DeclaredClients } from './clients.ts'
import { Remarks, reportText } from './remarks.ts'
import { emailKey } from '../protocol/email-address.ts'
import type { MovedSystem } from '../protocol/move-in.ts'
import { type Mapping, mappingText, noMapping, readMapping } from './mapping.ts'
import { peopleOf } from './people.ts'
import { Placing } from './placing.ts'
import { HeldRoles } from './roles.ts'
import { sources } from './sources.ts'
import {
  came,
  decide,
  type ExportFile,
  type Remark,
  lost,
  type SourceOptions,
  type ToldAttribute,
  type ToldExport,
  type ToldOrganisation,
  type ToldPerson,
  type ToldSystem,
} from './told.ts'
import { UnreadableExport } from './unreadable.ts'

export interface MoveIn extends SourceOptions {
  source: MovedSystem
  files: readonly ExportFile[]
  /** The text of mapping.yaml as somebody edited it. */
  mapping?: string | undefined
  /** Stands before each code, where several systems move in. */
  prefix?: string | undefined
  /** Takes a line of people.jsonl. */
  person: (line: string) => void
}

/** The texts of the files beside people.jsonl, and how much there is. */
export interface MovedIn {
  declared: string
  mapping: string
  report: string
  people: number
  clients: number
  decide: number
}

/**
 * Reads an export and says it in Tessera's words. People are handed on one by one; all else is in memory. Throws
 * `UnreadableExport`, also where what comes of it is more than a declared file holds, and `DeclaredFileError` with the lines
 * of a mapping that are wrong.
 */
export async function moveIn(given: MoveIn): Promise<MovedIn> {
  const { source, files, prefix, rpId, person } = given
  const edited = given.mapping === undefined ? noMapping : readMapping(given.mapping)
  const told = sources[source](files, { rpId })
  const remarks = new Remarks()
  const structure = await structureOf(told, { prefix, remarks })
  const { system, organisations, attributes, held, clients } = structure
  const placing = new Placing(held, edited, { system, organisations })
  const twice = await learnPeople(told, { structure, placing })
  for (const one of placing.settle()) remarks.add(one)
  const permissions = new Permissions(source, { system, held, edited: edited.permissions })
  for (const one of accessRemarks(structure, edited)) remarks.add(one)
  const declared = declaredOf({ structure, placing, permissions, edited }, remarks)
  const people = await peopleOf(told, { placing, edited, held, twice, person }, remarks)
  const redirects = clients.redirects()
  const counts = { people, clients: declared.clients, decide: remarks.of('decide').length }
  return {
    ...counts,
    declared: declared.text,
    mapping: mappingText(
      placing.mapping({ permissions: permissions.all(), attributes, redirects, sends: clients.sends() }),
    ),
    report: reportText(remarks, {
      title: `Moving in from ${source}: ${system.label ?? system.name}`,
      summary: summaryOf(declared, people),
    }),
  }
}

/** Learns what people hold before any is handed on. Yields the addresses that several have. */
async function learnPeople(
  told: ToldExport,
  { structure, placing }: { structure: Structure; placing: Placing },
): Promise<Set<string>> {
  const [known, twice] = [new Set<string>(), new Set<string>()]
  for await (const one of told.people()) {
    if (one.is === 'person') {
      placing.learn(one)
      const key = emailKey(String(one.row['email']))
      if (known.has(key)) twice.add(key)
      known.add(key)
      noteAttributes(one, structure)
    }
    if (one.is === 'machine') structure.clients.learn(one, structure.held)
  }
  return twice
}

/** The most attributes listed. */
const mostAttributes = 500

/** An attribute that nothing told of is one that people edit, unless the system says otherwise. */
function noteAttributes({ attributes: own }: ToldPerson, { system, attributes }: Structure): void {
  for (const name of Object.keys(own)) {
    if (attributes.length >= mostAttributes || attributes.some((one) => one.name === name)) continue
    attributes.push({ is: 'attribute', name, editableByPeople: system.editsOthers ?? true })
  }
}

interface Structure {
  system: ToldSystem
  organisations: ToldOrganisation[]
  attributes: ToldAttribute[]
  held: HeldRoles
  clients: DeclaredClients
}

async function structureOf(
  told: ToldExport,
  { prefix, remarks }: { prefix: string | undefined; remarks: Remarks },
): Promise<Structure> {
  const held = new HeldRoles()
  const clients = new DeclaredClients()
  const organisations: ToldOrganisation[] = []
  const attributes: ToldAttribute[] = []
  let system: ToldSystem | undefined
  for await (const one of told.structure()) {
    if (one.is === 'system') system = { ...one, prefix }
    else if (one.is === 'organisation') organisations.push(one)
    else if (one.is === 'role') held.addRole(one)
    else if (one.is === 'group') held.addGroup(one)
    else if (one.is === 'attribute') attributes.push(one)
    else if (one.is === 'client') {
      const { client_id } = one.declares
      if (!clients.add(one))
        remarks.add(lost('A client_id is there twice: the first client has it.', client_id))
    } else if (one.is === 'redirect') clients.see(one)
    else remarks.add(one)
  }
  if (system === undefined) throw new UnreadableExport('The files hold no export that is known.')
  return { system, organisations, attributes, held, clients }
}

function* accessRemarks({ attributes, held }: Structure, edited: Mapping): Generator<Remark> {
  for (const { id, parts = [], own = false } of held.given())
    if (!own && parts.length > 0)
      yield came(
        'A role of several is dissolved: here it gives what its parts give, and one of its own name.',
        id,
      )
  for (const { name, editableByPeople } of attributes) {
    const { profiles } = (Object.hasOwn(edited.attributes, name) && edited.attributes[name]) || {}
    if (editableByPeople && profiles !== undefined)
      yield decide(
        'mapping.yaml gives profiles by an attribute that people edit in the other system: whoever can, gets what it gives.',
        name,
      )
    else
      yield editableByPeople
        ? came('People can edit an attribute, so nothing is given by it.', name)
        : came('Only administrators edit an attribute: mapping.yaml may give profiles by it.', name)
  }
}

interface Access {
  structure: Structure
  placing: Placing
  permissions: Permissions
  edited: Mapping
}

interface DeclaredText {
  text: string
  organisations: number
  roles: number
  clients: number
}

const preamble =
  '# Written by tessera move-in, for tessera apply. It holds hashes of client secrets: keep it as you keep the database.\n'

function declaredOf({ structure, placing, permissions, edited }: Access, remarks: Remarks): DeclaredText {
  const { system, organisations: told, clients: toldClients } = structure
  const services = permissions.declared()
  const held = declaredRoles(placing, permissions)
  const roles = [...held, ...placedRoles(edited, held)]
  const organisations = declaredOrganisations(told, { system, placing, edited })
  const entries: DeclaredEntry[] = []
  const codes = services.map((one) => String(one['code']))
  for (const one of toldClients.declared(permissions, {
    redirect_uris: edited.redirect_uris,
    sends: edited.sends,
    services: codes,
    placing,
    held: structure.held,
  }))
    if (isRemark(one)) remarks.add(one)
    else entries.push(one)
  const policy = policyOf(system)
  const head = preamble + (policy === undefined ? '' : valuesText('policy', policy))
  const rest = head + entriesText({ services, roles, organisations })
  const all = Buffer.byteLength(rest + entriesText({ clients: entries }))
  if (all > maxFileBytes) throw tooMuch(all)
  const clients = checkedClients(rest, entries, remarks)
  const text = rest + entriesText({ clients })
  return { text, organisations: organisations.length, roles: roles.length, clients: clients.length }
}

const tooMuch = (size: number) =>
  new UnreadableExport(
    `The declared file would have ${size} bytes, and at most ${maxFileBytes} are read: export without what nobody needs, above all roles.`,
  )

const isRemark = (one: DeclaredEntry | Remark): one is Remark => one['is'] === 'remark'

/** Leaves out each client that a declared file would refuse, and says why. Throws where anything else is wrong. */
function checkedClients(rest: string, entries: readonly DeclaredEntry[], remarks: Remarks): DeclaredEntry[] {
  const problems = problemsOf(rest + entriesText({ clients: entries }))
  if (problems.length === 0) return [...entries]
  const ends = linesBefore(rest, entries)
  const wrong = new Map<number, string>()
  for (const { line, reason } of problems) {
    const index = ends.findIndex((end) => line <= end)
    if (index < 0 || line <= linesOf(rest))
      throw new DeclaredFileError([{ file: 'declared.yaml', line, reason }])
    wrong.set(index, reason)
  }
  for (const [index, reason] of wrong)
    remarks.add(
      decide('A client can not be declared as it is.', `${String(entries[index]?.['client_id'])}: ${reason}`),
    )
  return checkedClients(
    rest,
    entries.filter((_, index) => !wrong.has(index)),
    remarks,
  )
}

function problemsOf(text: string): readonly { line: number; reason: string }[] {
  try {
    parseDeclared(text, { file: 'declared.yaml', mode: 'production' })
    return []
  } catch (error) {
    if (error instanceof DeclaredFileError) return error.problems
    throw error
  }
}

const linesOf = (text: string) => text.split('\n').length - 1

/** The last line of each entry. */
function linesBefore(rest: string, entries: readonly DeclaredEntry[]): number[] {
  let line = linesOf(rest) + 1
  return entries.map((one) => (line += linesOf(entriesText({ clients: [one] })) - 1))
}

const summaryOf = ({ organisations, roles, clients }: DeclaredText, people: number): string[] => [
  `people.jsonl: ${people.toLocaleString('en')} people, for tessera import`,
  `declared.yaml: ${organisations} organisations, ${roles} roles, ${clients} clients, for tessera apply`,
  'mapping.yaml: how roles, groups and attributes become profiles; edit it, and run the same command again',
]
