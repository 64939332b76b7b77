import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { tesseraProgram } from '../../dist/cli/program.js'

/** The examples at the end of each help, which people copy. */

const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]

/** The lines of the help that begin with `$ tessera`, each with those that continue it. */
function examplesOf(command: Command): string[] {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const lines = help.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines.flatMap((line) => / {2}\$ (?:\w+=\S+ )*tessera (.*)/.exec(line)?.[1] ?? [])
}

/** The options of an example that its command does not have. */
function unknownIn(program: Command, example: string): string[] {
  const own = (example.split(/ (?:[|<>]|&&) /)[0] ?? '').split(' ')
  let command = program
  for (const word of own) {
    const part = command.commands.find((one) => [one.name(), ...one.aliases()].includes(word))
    if (part === undefined) break
    command = part
  }
  const known = [...command.options, ...program.options].map(({ long }) => long)
  const asked = own.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? [])
  return asked.filter((option) => option !== '--help' && !known.includes(option))
}

it('uses options alone that the command has', async () => {
  const program = await tesseraProgram()
  const examples = all(program).flatMap(examplesOf)
  expect(examples.length).toBeGreaterThan(80)
  const wrong = examples.filter((example) => unknownIn(program, example).length > 0)
  expect(wrong).toEqual([])
})
