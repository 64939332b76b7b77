import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { refuseContradictions } from './contradictions.ts'
import { references } from './references.ts'

/** A field of a body, or a parameter of a query, as an option: what the API takes, the command offers by itself. */
export interface Field {
  name: string
  /** Without the dashes before it. */
  option: string
  kind: 'text' | 'number' | 'flag' | 'list'
  argument: string
  choices: readonly string[] | undefined
  required: boolean
  nullable: boolean
  description: string
}

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

/** The fields of a schema but for those that commands have another way for. */
export function fieldsOf(schema: z.ZodObject | undefined, without: readonly string[]): Field[] {
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
  const type = inner.type === 'array' ? (inner.items ?? {}) : inner
  const isFlag = type.type === 'boolean' || type.enum?.join() === 'true,false'
  const kind =
    inner.type === 'array'
      ? 'list'
      : isFlag
        ? 'flag'
        : /^(integer|number)$/.test(type.type ?? '')
          ? 'number'
          : 'text'
  const reference = references[name]
  return {
    name,
    option: reference?.option ?? optionOf(name, kind),
    kind,
    argument: reference?.argument ?? (kind === 'number' ? 'number' : argumentOf(type)),
    choices: isFlag ? undefined : type.enum,
    required,
    nullable: property.anyOf?.some((one) => one.type === 'null') === true,
    description: wordsOf(inner.description ?? property.description ?? ''),
  }
}

const argumentOf = ({ format }: JsonSchema): string =>
  ({ 'date-time': 'time', uri: 'address', email: 'e-mail' })[format ?? ''] ?? format ?? 'text'

/** Of a list one at a time: `--redirect-uri`. */
function optionOf(name: string, kind: Field['kind']): string {
  const dashed = name === 'q' ? 'search' : name.replaceAll('_', '-')
  return kind === 'list' ? dashed.replace(/s$/, '') : dashed
}

/** Without the marks of Markdown, and as a part of a line. */
function wordsOf(description: string): string {
  const text = description.replaceAll('`', '').replace(/\.$/, '')
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`
}

/**
 * Offers the fields. Where something is changed, lists can be added to and taken from, and values removed; that is
 * told once (`listsHelp`), not with each of them.
 */
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
  const { option, kind, argument, choices } = field
  const said = [field.description, ...(field.required ? ['needed'] : [])]
    .filter((one) => one !== '')
    .join('; ')
  if (kind === 'flag') {
    const no = new Option(`--no-${option}`).hideHelp()
    return [new Option(`--${option}`, `${said === '' ? '' : `${said}; `}or --no-${option}`), no]
  }
  if (kind === 'list') {
    const one = listed(field, `--${option}`, [said, 'repeat it for several'].filter(Boolean).join('; '))
    if (!changes) return [one]
    const others = [
      new Option(`--no-${option}`),
      listed(field, `--add-${option}`, ''),
      listed(field, `--remove-${option}`, ''),
    ]
    return [one, ...others.map((other) => other.hideHelp())]
  }
  const one = new Option(`--${option} <${argument}>`, said)
  if (choices !== undefined) return [one.choices(choices)]
  return [kind === 'number' ? one.argParser(numberOf) : one]
}

/** How the lists among these fields are changed; empty when there are none. */
export function listsHelp(fields: readonly Field[]): string {
  const [first] = fields.filter((field) => field.kind === 'list').map((field) => field.option)
  if (first === undefined) return ''
  return `
What can be repeated is a list: --${first} sets all of it, --add-${first} and --remove-${first} change what is there,
--no-${first} empties it; and so with the others.
`
}

const listed = ({ argument, choices }: Field, flag: string, description: string): Option => {
  const among = choices === undefined ? '' : ` (${choices.join(', ')})`
  return new Option(`${flag} <${argument}>`, `${description}${among}`).argParser(collecting(choices))
}

/** Of an option that is repeated. `true` and `false` are what a flag of the same name has set. */
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

export type Given = Readonly<Record<string, unknown>>

/** What was given for a field; undefined: nothing. `before` is what is changed. */
export function valueOf(field: Field, given: Given, before: Given = {}): unknown {
  const { option, kind, nullable } = field
  const at = (flag: string) => givenFor(given, flag)
  const unset = given.unset
  if (nullable && Array.isArray(unset) && unset.includes(option)) return null
  const value = at(option)
  if (kind !== 'list') return value
  const [added, removed] = [at(`add-${option}`), at(`remove-${option}`)].map(textsOf)
  const start = value === false ? [] : Array.isArray(value) ? (value as string[]) : undefined
  if (start === undefined && added === undefined && removed === undefined) return undefined
  const list = [...(start ?? textsOf(before[field.name]) ?? []), ...(added ?? [])]
  return [...new Set(list)].filter((one) => removed?.includes(one) !== true)
}

/** What was given for an option, by its name. */
export const givenFor = (given: Given, option: string): unknown =>
  given[new Option(`--${option} <x>`).attributeName()]

export const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? (value as string[]) : undefined
