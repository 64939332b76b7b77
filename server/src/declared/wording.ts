import type * as z from 'zod'
import { bounded } from '../catalogue/check.ts'
import { didYouMean, maxProblems, shown } from './problems.ts'
import { things } from './schema.ts'

/** The words of a declared file for what a schema finds in it. */

/** The keys and indexes that lead to a value of the file. */
export type Path = readonly (string | number)[]

/** Something wrong at a path. */
export interface Finding {
  path: Path
  reason: string
}

/** Keys whose values no message shows. */
const hidden = /^(password|password_hash|totp_secret|client_secret.*|bind_password)$/

/** The last thing on the path: where its own path ends, and the rest within it. */
export function thingAt(path: Path) {
  for (let end = path.length; ; end--) {
    const keys = path.slice(0, end).filter((part) => typeof part === 'string')
    const thing = typeof path[end - 1] === 'string' ? undefined : things.get(keys.join('.'))
    if (thing !== undefined) return { ...thing, end, rest: path.slice(end) }
  }
}

/** Whether the rest of a path within a thing leads into a value with parts. */
const isPart = (rest: Path) => rest.length > 2 || typeof rest[1] === 'string'

/** What messages call a value. */
export function nameOf(path: Path): string {
  const { what, rest } = thingAt(path)
  return bounded(isPart(rest) ? rest.join('.') : String(rest[0] ?? what))
}

/** What an issue of a schema says of the file, where `value` is what stands at the path, and `isThere` whether anything. */
export function findingsOf(
  issue: z.core.$ZodIssue,
  path: Path,
  { value, isThere }: { value: unknown; isThere: boolean },
): Finding[] {
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, path, value)
  if (issue.code === 'custom' && issue.params?.['isTwice'] === true) return repeated(value, path)
  return [{ path, reason: isThere ? wrong(issue, path, value) : missing(path) }]
}

function missing(path: Path): string {
  const { what, rest } = thingAt(path)
  return isPart(rest) ? `${nameOf(path)} is missing` : `${what} has no ${shown(String(rest[0]))}`
}

function unknownKeys(unknown: readonly string[], path: Path, value: unknown): Finding[] {
  const { what, rest, ...thing } = thingAt(path)
  const keys = thing.keys()
  const left = keys.filter((key) => !Object.hasOwn(Object(value), key))
  return unknown.map((key, index) => {
    const at = [...path, key]
    if (rest.length > 0) return { path: at, reason: `${nameOf(at)} is not known here, or can not be set` }
    const suggestion = index < maxProblems ? didYouMean(key, left) || didYouMean(key, keys) : ''
    return { path: at, reason: `${what} has the unknown key ${shown(key)}${suggestion}` }
  })
}

function repeated(list: unknown, path: Path): Finding[] {
  const seen = new Set<unknown>()
  return (Array.isArray(list) ? list : []).flatMap((one: unknown, index) => {
    if (seen.size < seen.add(one).size) return []
    return [{ path: [...path, index], reason: `${nameOf(path)} lists ${shown(String(one))} twice` }]
  })
}

function wrong(issue: z.core.$ZodIssue, path: Path, value: unknown): string {
  const name = nameOf(path)
  const isHidden = path.some((part) => hidden.test(String(part)))
  if (issue.code === 'invalid_type') {
    const expected = expectedKinds[issue.expected] ?? issue.expected
    return `${name} is ${expected}, not ${kindOf(value, isHidden)}${cureOf(issue.expected, path, value)}`
  }
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String)
    const not = typeof value === 'string' ? shown(value) + didYouMean(value, known) : kindOf(value, isHidden)
    return `${name} is ${known.join(' or ')}, not ${not}${cureOf(issue.code, path, value)}`
  }
  const quoted = typeof value === 'string' && !isHidden && !isPart(thingAt(path).rest)
  return `${name}${quoted ? ` ${shown(value)}` : ''} ${issue.message.replace(/^It /, '').replace(/\.$/, '')}`
}

const expectedKinds: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  array: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of keys',
}

/** What a value is; a hidden one is not shown. */
function kindOf(value: unknown, isHidden: boolean): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'string') return 'a text'
  return isHidden ? `a ${typeof value}` : `the ${typeof value} ${shown(String(value))}`
}

function cureOf(expected: string, path: Path, value: unknown): string {
  if (value === null && expected === 'array') return '; write [] for none'
  if (value === null) return typeof path.at(-1) === 'string' ? '; leave the key out instead' : ''
  return expected === 'string' && typeof value !== 'object' ? '; put it in quotes' : ''
}
