import { execFileSync } from 'node:child_process'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { tesseraProgram } from '../../dist/cli/program.js'
import { runHere } from './command-support.ts'

/** `tessera completion`: what a shell offers is what the command takes. */

const script = async (shell: string): Promise<string> => {
  const { code, stdout, stderr } = await runHere(['completion', shell])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('in bash', () => {
  let source: string
  beforeAll(async () => {
    source = await script('bash')
  })

  /** What bash offers for the last word of each line, by the function that `complete` registered. */
  function offered(lines: readonly string[][]): string[][] {
    const tries = lines.map((words) => `try ${words.map((word) => `'${word}'`).join(' ')}`)
    const program = `${source}
      [[ $(complete -p tessera) =~ -F\\ ([^ ]+)\\ tessera$ ]] || exit 9
      complete=\${BASH_REMATCH[1]}
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); $complete; echo "\${COMPREPLY[*]}"; }
      ${tries.join('\n')}`
    const output = execFileSync('bash', ['--norc', '-c', program], { encoding: 'utf8' })
    return output.split('\n').map((line) => line.split(' ').filter((word) => word !== ''))
  }

  it('offers every command and every option, at each place', async () => {
    const places = (command: Command, before: string[]): [string[], Command][] => {
      const path = [...before, command.name()]
      return [[path, command], ...command.commands.flatMap((part) => places(part, path))]
    }
    const all = places(await tesseraProgram(), [])
    expect(all.length).toBeGreaterThan(80)
    const commands = offered(all.map(([path]) => [...path, '']))
    const options = offered(all.map(([path]) => [...path, '--']))
    for (const [index, [path, command]] of all.entries()) {
      expect(commands[index], path.join(' ')).toEqual(command.commands.map((one) => one.name()))
      const long = command.options.map((one) => one.long ?? '')
      expect(options[index], path.join(' ')).toEqual([...long, '--help'])
    }
  })

  it.each<[line: string[], words: string[]]>([
    [['tessera', 'us'], ['user']],
    [['tessera', 'client', 'secret', 'a'], ['add']],
    [['tessera', 'user', 'list', '--org'], ['--organisation']],
    [['tessera', 'role', 'change', 'reader', '--add-p'], ['--add-permission']],
    [
      ['tessera', 'client', 'list', '--type', ''],
      ['public', 'web', 'machine', 'proxied'],
    ],
    [['tessera', 'client', 'list', '--type', 'm'], ['machine']],
    [
      ['tessera', 'client', 'list', '--type', '='],
      ['public', 'web', 'machine', 'proxied'],
    ],
    [['tessera', 'client', 'list', '--type', '=', 'm'], ['machine']],
    [['tessera', 'user', 'create', '--name', '=', 'm'], []],
    [['tessera', 'key', 'ro'], ['rotate']],
    [['tessera', 'completion', ''], []],
    [['tessera', 'user', 'create', '--name', '--'], []],
    [['tessera', 'nosuch', 'li'], []],
    [['tessera', 'user', 'show', 'list', 'cre'], []],
  ])('completes %j', (line, words) => {
    expect(offered([line])[0]).toEqual(words)
  })
})

it.each([
  ['zsh', /^#compdef tessera\n/, /\ncompdef _tessera tessera\n$/],
  [
    'fish',
    /^# fish completion/,
    /complete -c tessera -n '__tessera_at "tessera user list"' -l organisation -r -d '/,
  ],
])('is printed for %s', async (shell, begins, holds) => {
  const text = await script(shell)
  expect(text).toMatch(begins)
  expect(text).toMatch(holds)
})

it('is refused for another shell', async () => {
  const { code, stdout, stderr } = await runHere(['completion', 'cmd'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/Allowed choices are bash, zsh, fish/)
})
