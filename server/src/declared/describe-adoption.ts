import type { Adoption } from './adoption.ts'
import { groupBy } from '../access/by-key.ts'
import { counted } from './describe-access.ts'

/** What a plan adopts and takes something from, one by one, for people to read. */
export function describeLosses(adopts: readonly Adoption[]): string[] {
  const losing = adopts.filter(({ loses }) => loses.length > 0)
  if (losing.length === 0) return []
  const lines = losing.flatMap((one) => [
    `  ${one.kind} ${one.id}`,
    ...[...origin(one, one.made_at), ...fate(one)].map((line) => `      ${line}`),
  ])
  return [['Adopts what is there already, and takes away what others gave it', ...lines].join('\n')]
}

/** What is merely adopted: all of the same on one line, so that twenty thousand people fill no screen. */
export function describeAdoptions(adopts: readonly Adoption[]): string[] {
  const keeping = adopts.filter(({ loses }) => loses.length === 0)
  if (keeping.length === 0) return []
  const groups = groupBy(keeping, (one) => JSON.stringify(alike(one)))
  return [['Adopts what is there already', ...[...groups.values()].flatMap(groupLine)].join('\n')]
}

const named = 3

function groupLine(group: readonly Adoption[]): string[] {
  const [first] = group
  if (first === undefined) return []
  const isAlone = group.length === 1
  const names = [...group.slice(0, named).map((one) => one.id), ...(group.length > named ? ['…'] : [])]
  const what = isAlone
    ? `${first.kind} ${first.id}`
    : `${counted(group.length, first.kind)} (${names.join(', ')})`
  const words = [...origin(first, isAlone ? first.made_at : null), ...fate(first)]
  return [`  ${what}: ${words.join('; ')}`]
}

function origin({ made_by, managed_by }: Adoption, madeAt: string | null): string[] {
  const made = made_by === null ? 'made by somebody unknown' : `made by ${made_by}`
  const until = managed_by === null ? [] : [`until now managed by ${managed_by}`]
  return [`${made}${madeAt === null ? '' : `, ${madeAt}`}`, ...until]
}

function fate({ keeps, loses }: Adoption): string[] {
  return [
    ...(keeps.length > 0 ? [`keeps its ${listed(keeps)}, which the file does not name`] : []),
    ...(loses.length > 0 ? [`loses its ${listed(loses)}: ${reason}`] : []),
  ]
}

const alike = ({ kind, made_by, managed_by, keeps }: Adoption) => [kind, made_by, managed_by, keeps]

const reason = 'not known to come from somebody who administers everything'

function listed(words: readonly string[]): string {
  const all = words.map((word) => word.replace('_', ' '))
  const last = all.at(-1) ?? ''
  return all.length < 2 ? last : `${all.slice(0, -1).join(', ')} and ${last}`
}
