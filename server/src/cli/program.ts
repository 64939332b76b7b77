import { Command } from 'commander'
import { version } from '../protocol/version.ts'
import { type Context, print } from './context.ts'
import { plain } from './plain.ts'
import { thisProcess } from './this-process.ts'

/** Loads a command, and makes it. */
type MakesCommand = (context: Context) => Command | Promise<Command>

/** The commands beside those that administer. Each is loaded when it is asked for: all take longer than most do. */
const own: Readonly<Record<string, MakesCommand>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  dev: async () => (await import('./dev.ts')).devCommand(),
  plan: async (context) => (await import('./plan.ts')).planCommand(context),
  apply: async (context) => (await import('./apply.ts')).applyCommand(context),
  export: async (context) => (await import('./export.ts')).exportCommand(context),
  import: async (context) => (await import('./import.ts')).importCommand(context),
  'move-in': async (context) => (await import('./move-in.ts')).moveInCommand(context),
  migrate: async (context) => (await import('./migrate.ts')).migrateCommand(context),
  rehearse: async (context) => (await import('./rehearse.ts')).rehearseCommand(context),
  keys: async (context) => (await import('./keys.ts')).keysCommand(context),
  mail: async (context) => (await import('./mail.ts')).mailCommand(context),
  backup: async (context) => (await import('./backup.ts')).backupCommand(context),
  restore: async (context) => (await import('./backup.ts')).restoreCommand(context),
  restored: async (context) => (await import('./restored.ts')).restoredCommand(context),
  audit: async (context) => (await import('./audit.ts')).auditCommand(context),
  hash: async () => (await import('./hash.ts')).hashCommand(),
  login: async (context) => (await import('./login.ts')).loginCommand(context),
  logout: async (context) => (await import('./login.ts')).logoutCommand(context),
  token: async (context) => (await import('./login.ts')).tokenCommand(context),
  compare: async (context) => (await import('./compare.ts')).compareCommand(context),
  configuration: async () => (await import('./configuration.ts')).configurationCommand(),
  version: (context) => versionCommand(context),
}

/** The commands that a command line needs: the one that it begins with, or else all, for their help. */
async function commandsFor(first: string, context: Context): Promise<Command[]> {
  const made = Object.hasOwn(own, first) ? own[first] : undefined
  if (made !== undefined) return [await made(context)]
  const { administering } = await import('./administering.ts')
  const asked = administering.find(({ names }) => names.includes(first))
  if (asked !== undefined) return [asked.make(context)]
  const { completionCommand } = await import('./completion.ts')
  return [
    ...(await Promise.all(Object.values(own).map(async (make) => await make(context)))),
    ...administering.map(({ make }) => make(context)),
    completionCommand(context),
  ]
}

/** The whole command. When the command line begins with a command, the others are left out. */
export async function tesseraProgram({
  context = thisProcess,
  commandLine = [],
}: {
  context?: Context
  commandLine?: readonly string[]
} = {}): Promise<Command> {
  const program = new Command('tessera')
    .description('OpenID Connect provider and token issuer for organisations.')
    .version(versionText(commandLine.includes('--json')))
    // `tessera import` and its verbs have options of the same names.
    .enablePositionalOptions()
  for (const command of await commandsFor(commandLine[0] ?? '', context)) program.addCommand(command)
  sayWhatToDo(program, 'tessera')
  return program.addHelpText(
    'after',
    `
Exit codes: 0 done; 1 refused or failed, standard error says why; 2 plan found changes, import refused rows, or
compare found what an application would notice;
3 audit verify could not check; 4 there is nothing by that name.

Examples:
  $ npm start                                     try everything on this machine
  $ TESSERA_ISSUER=https://id.example.com TESSERA_SECRET_FILE=secret tessera serve
  $ tessera plan access.yaml && tessera apply access.yaml
  $ tessera setup --email lena.hoff@acme.example  the first administrator
  $ tessera user list --organisation acme`,
  )
}

/** What is wrong with a command line is said as every other refusal is, with where to look. */
function sayWhatToDo(command: Command, words: string): void {
  command
    .configureOutput({ outputError: (text, write) => write(plain(text.replace(/^error:/, 'tessera:'))) })
    .showHelpAfterError(`(${words} --help shows what there is)`)
  for (const part of command.commands) sayWhatToDo(part, `${words} ${part.name()}`)
}

/** `tessera version`, for people and for programs; `tessera --version` says the same. */
function versionCommand(context: Context): Command {
  return new Command('version')
    .description('Print the version.')
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExamples:\n  $ tessera version\n  $ tessera version --json | jq -r .version')
    .action(({ json }: { json?: boolean }) => print(context, versionText(json === true)))
}

const versionText = (json: boolean): string => (json ? JSON.stringify({ version }) : version)
