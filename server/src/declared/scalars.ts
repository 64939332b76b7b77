import { isScalar } from 'yaml'
import { type Scope, supportedScopes } from '../protocol/scope.ts'
import { instantOf } from '../protocol/values.ts'
import { kindOf, type Place, type Read, type Reading } from './fields.ts'
import { didYouMean, shown } from './problems.ts'
import { text } from './values.ts'

function scalarAt(place: Place): unknown {
  return isScalar(place.node) ? place.node.value : undefined
}

export const flag: Read<boolean> = (place, reading) => {
  const value = scalarAt(place)
  if (typeof value === 'boolean') return value
  reading.problems.add(place.line, `${place.name} is true or false, not ${kindOf(place.node)}`)
  return undefined
}

/** Ten years: more is a mistake in the unit. */
const maxSeconds = 315_360_000

/** A duration of whole seconds. */
export function seconds(most = maxSeconds): Read<number> {
  return (place, reading) => {
    const value = scalarAt(place)
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most) return value
    reading.problems.add(
      place.line,
      `${place.name} is a number of seconds, a whole number from 1 to ${most}, not ${kindOf(place.node)}`,
    )
    return undefined
  }
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]): Read<T> {
  return (place, reading) => {
    const value = text(100)(place, reading)
    if (value === undefined) return undefined
    const word = words.find((one) => one === value)
    if (word === undefined) {
      const reason = `${place.name} is ${words.join(' or ')}, not ${shown(value)}${didYouMean(value, words)}`
      reading.problems.add(place.line, reason)
    }
    return word
  }
}

/** A moment as epoch milliseconds: see `instantOf`. */
export const instant: Read<number> = (place, reading) => {
  const value = text(40)(place, reading)
  if (value === undefined) return undefined
  const at = instantOf(value)
  if (at !== undefined) return at
  const reason = `${place.name} ${shown(value)} is no time; write 2031-01-31 or 2031-01-31T12:00:00Z`
  reading.problems.add(place.line, reason)
  return undefined
}

/** A space-separated list of scopes, each once. */
export const scope: Read<Scope[]> = (place, reading) => {
  const value = text(200)(place, reading)
  if (value === undefined) return undefined
  const scopes = new Set<Scope>()
  for (const word of value.split(/\s+/).filter(Boolean)) {
    const known = supportedScopes.find((one) => one === word)
    if (known !== undefined) scopes.add(known)
    else reportScope(place, word, reading)
  }
  return [...scopes]
}

function reportScope(place: Place, word: string, reading: Reading): void {
  const reason = `the scope ${shown(word)} is unknown${didYouMean(word, supportedScopes) || `; there are ${supportedScopes.join(', ')}`}`
  reading.problems.add(place.line, reason)
}
