import { Argument, Command, type Option } from 'commander'
import { shellWord } from '../protocol/shell-word.ts'
import { type Context, print } from './context.ts'

const scripts = { bash, zsh, fish }
type Shell = keyof typeof scripts

/** `tessera completion`: what a shell needs to complete the command, made from the command itself. */
export function completionCommand(context: Context): Command {
  return new Command('completion')
    .description('Print what makes a shell complete commands and their options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
Put the line for your shell where it starts, such as ~/.bashrc; zsh needs compinit before it.

Examples:
  $ source <(tessera completion bash)
  $ source <(tessera completion zsh)
  $ tessera completion fish > ~/.config/fish/completions/tessera.fish`,
    )
    .action((shell: Shell, _options: unknown, command: Command) => {
      print(context, scripts[shell](placesOf(command.parent ?? command)))
    })
}

/** A part of the command, such as `tessera user list`. */
interface CommandNode {
  path: string
  parts: readonly Command[]
  options: readonly Option[]
}

function placesOf(command: Command, before = '', name = command.name()): CommandNode[] {
  const path = `${before}${name}`
  const options = [...command.options, command.createOption('--help', 'show what it does')]
  const place = { path, parts: command.commands, options }
  const below = (part: Command) =>
    [part.name(), ...part.aliases()].flatMap((one) => placesOf(part, `${path} `, one))
  return [place, ...command.commands.flatMap(below)]
}

const longOf = (options: readonly Option[]): string[] => options.flatMap((one) => one.long ?? [])
const takesValue = (option: Option): boolean => option.required || option.optional
const namesOf = (parts: readonly Command[]): string => parts.map((one) => one.name()).join(' ')

/** What may follow at each place, and the values of options where they are known, as bash and zsh read it. */
function cases(places: readonly CommandNode[]): string {
  const words = places.map(({ path, parts, options }) => {
    const [all, valued] = [options, options.filter(takesValue)].map((some) =>
      shellWord(longOf(some).join(' ')),
    )
    return `    ${shellWord(path)}) parts=${shellWord(namesOf(parts))} options=${all} valued=${valued} ;;`
  })
  const values = places.flatMap(({ path, options }) =>
    options.flatMap(({ long, argChoices }) =>
      long && argChoices
        ? `    ${shellWord(`${path} ${long}`)}) values=${shellWord(argChoices.join(' '))} ;;`
        : [],
    ),
  )
  return `  case "$at" in
${words.join('\n')}
  esac
  case "$at $before" in
${values.join('\n')}
  esac`
}

const later = (places: readonly CommandNode[]): string =>
  places
    .slice(1)
    .map(({ path }) => shellWord(path))
    .join(' | ')

function bash(places: readonly CommandNode[]): string {
  return `# bash completion of tessera
_tessera() {
  local at=tessera cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local i parts='' options='' valued='' values=''
  # Bash takes the sign in --type=machine for a word.
  if [[ $cur == = ]]; then cur=''
  elif [[ $before == = ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
    ${later(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
${cases(places)}
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  elif [[ " $valued " == *" $before "* ]]; then
    COMPREPLY=()
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$parts" -- "$cur"))
  fi
}
complete -o bashdefault -o default -F _tessera tessera`
}

function zsh(places: readonly CommandNode[]): string {
  return `#compdef tessera
_tessera() {
  local at=tessera cur="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
  local i parts='' options='' valued='' values=''
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
    ${later(places).replaceAll(' | ', '|')}) at="$at \${words[i]}" ;;
    esac
  done
${cases(places)}
  if [[ -n $values ]]; then
    compadd -- \${=values}
  elif [[ " $valued " == *" $before "* ]]; then
    _files
  elif [[ $cur == -* ]]; then
    compadd -- \${=options}
  elif [[ -n $parts ]]; then
    compadd -- \${=parts}
  else
    _files
  fi
}
compdef _tessera tessera`
}

function fish(places: readonly CommandNode[]): string {
  const lines = places.flatMap(({ path, parts, options }) => {
    const here = `complete -c tessera -n '__tessera_at "${path}"'`
    const words = parts.map((one) => `${here} -f -a ${one.name()} -d ${fishText(one.description())}`)
    const flags = options.flatMap((option) => {
      const values = option.argChoices
        ? ` -x -a ${fishText(option.argChoices.join(' '))}`
        : takesValue(option)
          ? ' -r'
          : ''
      return option.long === undefined
        ? []
        : [`${here} -l ${option.long.slice(2)}${values} -d ${fishText(option.description)}`]
    })
    return [...words, ...flags]
  })
  return `# fish completion of tessera
function __tessera_at
  set -l at tessera
  set -l typed (commandline -opc)
  set -e typed[1]
  for word in $typed
    switch "$at $word"
      case ${later(places).replaceAll(' | ', ' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}`
}

/** Text in single quotes, where fish knows two escapes. */
const fishText = (text: string): string =>
  `'${text.replaceAll(/\s+/g, ' ').replaceAll(/[\\']/g, (one) => `\\${one}`)}'`
