import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import type { Connection, ApiObject } from './connection.ts'
import { jsonProblem, parseJson } from '../protocol/json.ts'
import { references, withIds } from './references.ts'

/** A field of a body or a parameter of a query, as an option: what the API takes, the command offers. */
export interface Field {
  name: string
  /** The name of the option without dashes before it. */
  option: string
  kind: 'text' | 'number' | 'flag' | 'list' | 'json'
  argument: string
  choices: readonly string[] | undefined
  required: boolean
  nullable: boolean
  description: string
}

/** The options of a command line, as commander gives them. */
export type Given = object

interface JsonSchema {
  type?: string
  enum?: string[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  format?: string
  description?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
}

/** The fields of a schema, except those that are no options. */
export function fieldsOf(schema: z.ZodObject | undefined, without: readonly string[] = []): Field[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema
  return Object.entries(properties)
    .filter(([name]) => !without.includes(name))
    .map(([name, property]) => fieldOf(name, property, required.includes(name)))
}

function fieldOf(name: string, property: JsonSchema, required: boolean): Field {
  const inner = property.anyOf?.find((one) => one.type !== 'null') ?? property
  const isList = inner.type === 'array' && inner.items?.type !== 'object'
  const type = isList ? (inner.items ?? {}) : inner
  const isFlag = type.type === 'boolean' || type.enum?.join() === 'true,false'
  const isNumber = type.type === 'integer' || type.type === 'number'
  const kind = isList ? 'list' : isFlag ? 'flag' : isNumber ? 'number' : plainKind(type)
  const reference = references[name]
  return {
    name,
    option: reference?.option ?? optionOf(name, kind),
    kind,
    argument: reference?.argument ?? (kind === 'number' || kind === 'json' ? kind : argumentOf(type)),
    choices: isFlag ? undefined : type.enum,
    required,
    nullable: property.anyOf?.some((one) => one.type === 'null') === true,
    description: wordsOf(inner.description ?? property.description ?? ''),
  }
}

const plainKind = ({ type }: JsonSchema) => (type === 'object' || type === 'array' ? 'json' : 'text')

const argumentOf = ({ format }: JsonSchema): string =>
  ({ 'date-time': 'time', uri: 'address', email: 'e-mail' })[format ?? ''] ?? format ?? 'text'

/** The option of a field. A list is given one value at a time: `--redirect-uri`. */
function optionOf(name: string, kind: Field['kind']): string {
  const dashed = name === 'q' ? 'search' : name.replaceAll('_', '-')
  return kind === 'list' ? dashed.replace(/s$/, '') : dashed
}

/** A description as help shows it: without Markdown and `null`, its first capital and its full stop. */
function wordsOf(description: string): string {
  const text = description
    .replaceAll('`', '')
    .replace(/; null [^;]*$/, '')
    .replace(/\.$/, '')
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
}

/** Offers the fields. Where something is changed, lists can be added to and taken from, and values removed. */
export function withFields(command: Command, fields: readonly Field[], changes = false): Command {
  for (const field of fields) for (const option of optionsOf(field, changes)) command.addOption(option)
  const nullable = fields.filter((field) => field.nullable).map((field) => field.option)
  if (changes && nullable.length > 0) {
    const among = nullable.join(', ')
    command.addOption(
      new Option('--unset <what>', `remove what is there (${among}); repeat it for several`).argParser(
        collecting(nullable),
      ),
    )
  }
  refuseContradictions(command, fields)
  return command
}

function optionsOf(field: Field, changes: boolean): Option[] {
  const { option, kind, argument, choices, description, required } = field
  const said = [description, required && 'needed'].filter(Boolean).join('; ')
  if (kind === 'flag') {
    const no = new Option(`--no-${option}`).hideHelp()
    return [new Option(`--${option}`, [said, `or --no-${option}`].filter(Boolean).join('; ')), no]
  }
  if (kind === 'list') {
    const one = repeated(field, `--${option}`, [said, 'repeat it for several'].filter(Boolean).join('; '))
    if (!changes) return [one]
    const others = [
      new Option(`--no-${option}`),
      repeated(field, `--add-${option}`, ''),
      repeated(field, `--remove-${option}`, ''),
    ]
    return [one, ...others.map((other) => other.hideHelp())]
  }
  const one = new Option(`--${option} <${argument}>`, said)
  if (choices !== undefined) return [one.choices(choices)]
  if (kind === 'json') return [one.argParser(jsonOf)]
  return [kind === 'number' ? one.argParser(numberOf) : one]
}

/** How the lists among these fields are changed; empty when there are none. */
export function listsHelp(fields: readonly Field[]): string {
  const first = fields.find((field) => field.kind === 'list')?.option
  if (first === undefined) return ''
  return `
What can be repeated is a list: --${first} sets all of it, --add-${first} and --remove-${first} change what is there,
--no-${first} empties it; and so with the others.
`
}

function repeated({ argument, choices }: Field, flag: string, description: string): Option {
  const among = choices === undefined ? '' : ` (${choices.join(', ')})`
  return new Option(`${flag} <${argument}>`, `${description}${among}`).argParser(collecting(choices))
}

/** Parses an option that is repeated. Before it may be `true` or `false`, which a flag of the same name has set. */
export const collecting =
  (choices?: readonly string[]) =>
  (text: string, before: unknown): string[] => {
    if (choices !== undefined && !choices.includes(text)) {
      throw new InvalidArgumentError(`Allowed are ${choices.join(', ')}.`)
    }
    return [...(Array.isArray(before) ? (before as string[]) : []), text]
  }

function numberOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a whole number.')
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new InvalidArgumentError(jsonProblem(error))
  }
}

/** Refuses, as any other mistake in a command line, options that say two things of one field. */
function refuseContradictions(command: Command, fields: readonly Field[]): void {
  // Options are collected by name: `--locale` and `--no-locale` leave one value, that of the later.
  const used = new Set<string>()
  for (const name of command.options.map((option) => option.name())) {
    command.on(`option:${name}`, () => used.add(name))
  }
  command.hook('preAction', () => {
    for (const field of fields) {
      const both = contradiction(field, used, command.opts())
      if (both !== undefined) command.error(`error: ${both[0]} and ${both[1]} contradict each other`)
    }
  })
}

function contradiction(
  { option, kind }: Field,
  used: ReadonlySet<string>,
  given: Given,
): string[] | undefined {
  const said = [option, `no-${option}`, `add-${option}`, `remove-${option}`].filter((name) => used.has(name))
  const [first, second] = said
  if (first !== undefined && listFor(given, 'unset')?.includes(option) === true)
    return [`--${first}`, `--unset ${option}`]
  if (first === option && second === `no-${option}`) return [`--${first}`, `--${second}`]
  if (kind !== 'list') return undefined
  const removed = listFor(given, `remove-${option}`)
  for (const name of [option, `add-${option}`]) {
    const both = listFor(given, name)?.find((one) => removed?.includes(one))
    if (both !== undefined) return [`--${name} ${both}`, `--remove-${option} ${both}`]
  }
  return undefined
}

/** What was given for an option, by its name. */
const givenFor = (given: Given, option: string): unknown =>
  (given as Record<string, unknown>)[new Option(`--${option} <x>`).attributeName()]

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? (value as string[]) : undefined

const listFor = (given: Given, option: string): string[] | undefined => textsOf(givenFor(given, option))

/** What was given for a field; undefined: nothing. `before` is what is changed. */
function valueOf({ name, option, kind, nullable }: Field, given: Given, before: ApiObject): unknown {
  if (nullable && listFor(given, 'unset')?.includes(option) === true) return null
  const value = givenFor(given, option)
  if (kind !== 'list') return value
  const [added, removed] = [listFor(given, `add-${option}`), listFor(given, `remove-${option}`)]
  const start = value === false ? [] : textsOf(value)
  if (start === undefined && added === undefined && removed === undefined) return undefined
  const list = [...(start ?? textsOf(before[name]) ?? []), ...(added ?? [])]
  return [...new Set(list)].filter((one) => removed?.includes(one) !== true)
}

/** What was given for the fields, as it was typed. */
export function valuesOf(fields: readonly Field[], given: Given, before: ApiObject = {}): ApiObject {
  const values = fields.map((field) => [field.name, valueOf(field, given, before)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** The body of a request: what was given, with ids for what people name. */
export const bodyOf = async (
  connection: Connection,
  fields: readonly Field[],
  given: Given,
  before: ApiObject = {},
): Promise<ApiObject> => await withIds(connection, valuesOf(fields, given, before), before)
