import type { Adoption } from './adoption.ts'
import { groupBy } from '../access/by-key.ts'
import { counted } from './describe-access.ts'

/** What a plan adopts, for people to read. Who loses something is named one by one. */
export function describeAdoptions(adopts: readonly Adoption[]): string[] {
  if (adopts.length === 0) return []
  const groups = groupBy(adopts, (one) => (one.loses.length > 0 ? one.id : JSON.stringify(alike(one))))
  return [['Adopts what is there already', ...[...groups.values()].flatMap(groupLines)].join('\n')]
}

/** More of the same are counted: twenty thousand people fill no screen. */
const oneByOne = 3

function groupLines(group: readonly Adoption[]): string[] {
  const [first] = group
  if (first === undefined) return []
  if (group.length <= oneByOne)
    return group.flatMap((one) => adoptionLines(`${one.kind} ${one.id}`, one, one.made_at))
  const some = group.slice(0, oneByOne).map((one) => one.id)
  return adoptionLines(`${counted(group.length, first.kind)}, such as ${some.join(', ')}`, first, null)
}

function adoptionLines(what: string, one: Adoption, madeAt: string | null): string[] {
  const { made_by, managed_by, keeps, loses } = one
  const lines = [`made by ${made_by ?? 'nobody knows whom'}${madeAt === null ? '' : `, ${madeAt}`}`]
  if (managed_by !== null) lines.push(`until now managed by ${managed_by}`)
  if (keeps.length > 0) lines.push(`keeps its ${listed(keeps)}, which the file does not name`)
  if (loses.length > 0) lines.push(`loses its ${listed(loses)}: ${reason}`)
  return [`  ${what}`, ...lines.map((line) => `      ${line}`)]
}

const alike = ({ kind, made_by, managed_by, keeps }: Adoption) => [kind, made_by, managed_by, keeps]

const reason = 'not known to come from somebody who administers everything'

function listed(words: readonly string[]): string {
  const all = words.map((word) => word.replace('_', ' '))
  const last = all.at(-1) ?? ''
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`
}
