import { isAlias, isScalar } from 'yaml'
import { redirectUriProblem } from '../protocol/redirect-uri.ts'
import {
  audienceProblem,
  clientIdProblem,
  codeProblem,
  emailProblem,
  isUuid,
  localeProblem,
  longTextProblem,
  originProblem,
  textProblem,
  timeZoneProblem,
  type ValueProblem,
} from '../protocol/values.ts'
import { kindOf, type Place, type Read, type Reading } from './fields.ts'
import { shown } from './problems.ts'

/** The plain text at a place, before any rule about what it may be. */
function plainText(place: Place, reading: Reading): string | undefined {
  const { node } = place
  const value: unknown = isScalar(node) ? node.value : undefined
  if (typeof value === 'string') return value
  const cure = isAlias(node)
    ? '; aliases are not read, write it out'
    : typeof value === 'number' || typeof value === 'boolean'
      ? '; put it in quotes'
      : value === null
        ? '; leave the key out instead'
        : ''
  reading.problems.add(place.line, `${place.name} is a text, not ${kindOf(node)}${cure}`)
  return undefined
}

/** A text for which `problem` finds nothing wrong. */
function checkedText(problem: ValueProblem): Read<string> {
  return (place, reading) => {
    const value = plainText(place, reading)
    if (value === undefined) return undefined
    const wrong = problem(value)
    if (wrong === undefined) return value
    reading.problems.add(place.line, `${place.name} ${shown(value)} ${wrong}`)
    return undefined
  }
}

/** A text that may not be shown: a password, a secret or the hash of one. */
export function hiddenText(problem: (text: string, reading: Reading) => string | undefined): Read<string> {
  return (place, reading) => {
    const value = plainText({ ...place, node: concealed(place.node) }, reading)
    if (value === undefined) return undefined
    const wrong = problem(value, reading)
    if (wrong === undefined) return value
    reading.problems.add(place.line, `${place.name} ${wrong}`)
    return undefined
  }
}

/** The node, but for a number or a flag, whose value a message would show. */
function concealed(node: unknown): unknown {
  return isScalar(node) && typeof node.value !== 'string' && node.value !== null ? undefined : node
}

/** Text for people, on one line. */
export const text = (maxLength: number): Read<string> => checkedText(textProblem(maxLength))

/** Text for people, on several lines. */
export const longText = (maxLength: number): Read<string> => checkedText(longTextProblem(maxLength))

export const code: Read<string> = checkedText(codeProblem)

/** A UUID in its canonical, lower-case form. */
export const uuid: Read<string> = (place, reading) =>
  checkedText((value) => (isUuid(value) ? undefined : 'is no UUID'))(place, reading)?.toLowerCase()

export const email: Read<string> = checkedText(emailProblem)

export const clientId: Read<string> = checkedText(clientIdProblem)

export const audience: Read<string> = checkedText(audienceProblem)

/** An address that people or the service are sent to: https, or http on this machine. */
export const webAddress: Read<string> = checkedText((value) => redirectUriProblem(value, 'web'))

export const redirectUri = (type: 'web' | 'native'): Read<string> =>
  checkedText((value) => redirectUriProblem(value, type))

export const origin: Read<string> = checkedText(originProblem)

export const locale: Read<string> = checkedText(localeProblem)

export const timeZone: Read<string> = checkedText(timeZoneProblem)
