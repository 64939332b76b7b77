import { Command } from 'commander'
import { accessCommand } from './access.ts'
import { applyCommand } from './apply.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { restoredCommand } from './restored.ts'
import { rehearseCommand } from './rehearse.ts'
import { compareCommand } from './compare.ts'
import { completionCommand } from './completion.ts'
import { configurationCommand } from './configuration.ts'
import { consentsCommand } from './consents.ts'
import { devCommand } from './dev.ts'
import { exportCommand } from './export.ts'
import { hashCommand } from './hash.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { loginCommand, logoutCommand, tokenCommand } from './login.ts'
import { mailCommand } from './mail.ts'
import { meCommand } from './me.ts'
import { migrateCommand } from './migrate.ts'
import { moveInCommand } from './move-in.ts'
import { plain } from './plain.ts'
import { attentionCommand, settingsCommand, statisticsCommand } from './overview.ts'
import { planCommand } from './plan.ts'
import { resourceCommand, resources } from './resources/commands.ts'
import { serveCommand } from './serve.ts'
import { administered } from '../protocol/things.ts'
import { settledCommand } from './settled.ts'
import { setupCommand } from './setup.ts'
import { settledNames } from '../catalogue/settled.ts'
import { version } from '../protocol/version.ts'
import { type Context, print } from './context.ts'
import { thisProcess } from './this-process.ts'

type Describe = (context: Context) => Command

/** What administers, by its names: to describe all of it takes longer than most commands do. */
const administering: readonly (readonly [names: readonly (string | undefined)[], Describe])[] = [
  ...resources.map(
    (one) => [[one.noun, one.alias], (context: Context) => resourceCommand(one, context)] as const,
  ),
  ...settledNames.map(
    (what) => [[administered[what].many], (context: Context) => settledCommand(context, what)] as const,
  ),
  [['statistics'], statisticsCommand],
  [['attention'], attentionCommand],
  [['settings'], settingsCommand],
  [['access'], accessCommand],
  [['me'], meCommand],
  [['consents'], consentsCommand],
  [['setup'], setupCommand],
]

/**
 * The whole command. When the command line begins with a command, others that administer are left out.
 */
export function tesseraProgram({
  context = thisProcess,
  commandLine = [],
}: {
  context?: Context
  commandLine?: readonly string[]
} = {}): Command {
  const program = new Command('tessera')
    .description('OpenID Connect provider and token issuer for organisations.')
    .version(versionText(commandLine.includes('--json')))
    // `tessera import` and its verbs have options of the same names.
    .enablePositionalOptions()
    .addCommand(serveCommand())
    .addCommand(devCommand())
    .addCommand(planCommand(context))
    .addCommand(applyCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(importCommand(context))
    .addCommand(moveInCommand(context))
    .addCommand(migrateCommand(context))
    .addCommand(rehearseCommand(context))
    .addCommand(keysCommand(context))
    .addCommand(mailCommand(context))
    .addCommand(backupCommand(context))
    .addCommand(restoreCommand(context))
    .addCommand(restoredCommand(context))
    .addCommand(auditCommand(context))
    .addCommand(hashCommand())
    .addCommand(loginCommand(context))
    .addCommand(logoutCommand(context))
    .addCommand(tokenCommand(context))
    .addCommand(compareCommand(context))
    .addCommand(configurationCommand())
    .addCommand(versionCommand(context))
  const [first = ''] = commandLine
  const asked = administering.find(([names]) => names.includes(first))
  const isOther = program.commands.some((one) => [one.name(), ...one.aliases()].includes(first))
  const described = asked === undefined ? administering : [asked]
  if (!isOther) for (const [, describe] of described) program.addCommand(describe(context))
  if (!isOther && asked === undefined) program.addCommand(completionCommand(context))
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
