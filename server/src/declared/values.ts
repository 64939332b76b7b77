import { isAlias, isMap, isScalar, isSeq } from 'yaml'
import type * as z from 'zod'
import { checkedBy } from '../catalogue/check.ts'
import type { Kind } from '../catalogue/kinds.ts'
import { type Scope, supportedScopes } from '../protocol/scope.ts'
import { instantOf, textProblem, type ValueProblem } from '../protocol/values.ts'
import { distinctList, kindOf, type Place, type Read, type Reading } from './fields.ts'
import { didYouMean, shown } from './problems.ts'

/** Reads a value of this kind, as bodies of the API have it. */
export function readerOf(kind: Kind): Read<unknown> {
  switch (kind.is) {
    case 'text':
      return (place, reading) => {
        const value = checkedText(kind.problem)(place, reading)
        return kind.lower === true ? value?.toLowerCase() : value
      }
    case 'flag':
    case 'presence':
      return flag
    case 'instant':
      return instant
    case 'seconds':
      return seconds(kind.most)
    case 'choice':
      return oneOf(...kind.among)
    case 'scope':
      return scope
    case 'json':
      return jsonOf(kind.schema)
    case 'list':
      return distinctList(readerOf(kind.of))
  }
}

function scalarAt(place: Place): unknown {
  return isScalar(place.node) ? place.node.value : undefined
}

/** The plain text at a place, before any rule about what it may be. */
function plainText(place: Place, reading: Reading): string | undefined {
  const value = scalarAt(place)
  if (typeof value === 'string') return value
  const cure = isAlias(place.node)
    ? '; aliases are not read, write it out'
    : typeof value === 'number' || typeof value === 'boolean'
      ? '; put it in quotes'
      : value === null
        ? '; leave the key out instead'
        : ''
  reading.problems.add(place.line, `${place.name} is a text, not ${kindOf(place.node)}${cure}`)
  return undefined
}

/** A text for which `problem` finds nothing wrong. */
export function checkedText(problem: ValueProblem): Read<string> {
  return (place, reading) => {
    const value = plainText(place, reading)
    const wrong = value === undefined ? undefined : problem(value)
    if (value === undefined || wrong === undefined) return value
    reading.problems.add(place.line, `${place.name} ${shown(value)} ${wrong}`)
    return undefined
  }
}

/** A text that may not be shown: a password, a secret or the hash of one. */
export function hiddenText(problem: (text: string, reading: Reading) => string | undefined): Read<string> {
  return (place, reading) => {
    const value = plainText({ ...place, node: concealed(place.node) }, reading)
    const wrong = value === undefined ? undefined : problem(value, reading)
    if (value === undefined || wrong === undefined) return value
    reading.problems.add(place.line, `${place.name} ${wrong}`)
    return undefined
  }
}

/** The node without a number or a flag, whose value a message would show. */
function concealed(node: unknown): unknown {
  return isScalar(node) && typeof node.value !== 'string' && node.value !== null ? undefined : node
}

const flag: Read<boolean> = (place, reading) => {
  const value = scalarAt(place)
  if (typeof value === 'boolean') return value
  reading.problems.add(place.line, `${place.name} is true or false, not ${kindOf(place.node)}`)
  return undefined
}

function seconds(most: number): Read<number> {
  return (place, reading) => {
    const value = scalarAt(place)
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value
    const reason = `${place.name} is a number of seconds, a whole number from 1 to ${most}, not ${kindOf(place.node)}`
    reading.problems.add(place.line, reason)
    return undefined
  }
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]): Read<T> {
  return (place, reading) => {
    const value = checkedText(textProblem(100))(place, reading)
    const word = words.find((one) => one === value)
    if (value === undefined || word !== undefined) return word
    const reason = `${place.name} is ${words.join(' or ')}, not ${shown(value)}${didYouMean(value, words)}`
    reading.problems.add(place.line, reason)
    return undefined
  }
}

/** A value with parts, as the library reads it. */
function jsonOf(schema: z.ZodType): Read<unknown> {
  return (place, reading) => {
    const { node, line, name } = place
    const value: unknown = isMap(node) || isSeq(node) || isScalar(node) ? node.toJSON() : undefined
    const { data, problems = [] } = checkedBy(schema, value)
    for (const { field, detail } of problems) {
      const at = field === '' ? name : `${name}.${field}`
      reading.problems.add(line, `${at} ${detail.replace(/^It /, '').replace(/\.$/, '')}`)
    }
    return data
  }
}

/** A moment: see `instantOf`. */
export const instant: Read<string> = (place, reading) => {
  const value = checkedText(textProblem(40))(place, reading)
  if (value === undefined || instantOf(value) !== undefined) return value
  const reason = `${place.name} ${shown(value)} is no time; write 2031-01-31 or 2031-01-31T12:00:00Z`
  reading.problems.add(place.line, reason)
  return undefined
}

/** A space-separated list of scopes, each once. */
const scope: Read<string> = (place, reading) => {
  const words = checkedText(textProblem(200))(place, reading)?.split(/\s+/).filter(Boolean)
  const isKnown = (word: string): word is Scope => supportedScopes.some((one) => one === word)
  for (const word of words ?? []) {
    if (isKnown(word)) continue
    const cure = didYouMean(word, supportedScopes) || `; there are ${supportedScopes.join(', ')}`
    reading.problems.add(place.line, `the scope ${shown(word)} is unknown${cure}`)
  }
  return words && [...new Set(words.filter(isKnown))].join(' ')
}
