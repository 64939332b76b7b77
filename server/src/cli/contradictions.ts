import type { Command } from 'commander'
import { type Field, type Given, givenFor, textsOf } from './fields.ts'

/** Refuses, as any other mistake in a command line, options that say two things of one field. */
export function refuseContradictions(command: Command, fields: readonly Field[]): void {
  // By name: `--locale` and `--no-locale` leave one value, that of the later.
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
): [string, string] | undefined {
  const said = [option, `no-${option}`, `add-${option}`, `remove-${option}`].filter((name) => used.has(name))
  const [first, second] = said
  if (first !== undefined && textsOf(given.unset)?.includes(option) === true)
    return [`--${first}`, `--unset ${option}`]
  if (first === option && second === `no-${option}`) return [`--${first}`, `--${second}`]
  if (kind !== 'list') return undefined
  const removed = textsOf(givenFor(given, `remove-${option}`))
  for (const name of [option, `add-${option}`]) {
    const both = textsOf(givenFor(given, name))?.find((one) => removed?.includes(one))
    if (both !== undefined) return [`--${name} ${both}`, `--remove-${option} ${both}`]
  }
  return undefined
}
