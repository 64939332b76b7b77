import { Command } from 'commander'
import { accessCommand } from './access.ts'
import { applyCommand } from './apply.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { completionCommand } from './completion.ts'
import { configurationCommand } from './configuration.ts'
import { connect } from './connection.ts'
import { consentsCommand } from './consents.ts'
import { devCommand } from './dev.ts'
import { exportCommand } from './export.ts'
import { hashCommand } from './hash.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { planCommand } from './plan.ts'
import { resourceCommand, resources } from './resources/commands.ts'
import type { Context } from './resources/resource.ts'
import { serveCommand } from './serve.ts'
import { setupCommand } from './setup.ts'
import { thisProcess } from './world.ts'

/**
 * The whole command. `first` is the first word after it: where that is a command by itself, what administers is left
 * out, because it takes a while to describe.
 */
export function tesseraProgram({
  context = { world: thisProcess, connect },
  first,
}: {
  context?: Context
  first?: string | undefined
} = {}): Command {
  const { world } = context
  const program = new Command('tessera')
    .description('OpenID Connect provider and token issuer for organisations.')
    .version('0.1.0')
    .addCommand(serveCommand())
    .addCommand(devCommand())
    .addCommand(planCommand(world))
    .addCommand(applyCommand(world))
    .addCommand(exportCommand(world))
    .addCommand(importCommand())
    .addCommand(migrateCommand())
    .addCommand(keysCommand(world))
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(auditCommand(world))
    .addCommand(hashCommand())
    .addCommand(configurationCommand())
  if (!program.commands.some((one) => [one.name(), ...one.aliases()].includes(first ?? ''))) {
    for (const one of resources) program.addCommand(resourceCommand(one, context))
    program
      .addCommand(accessCommand(context))
      .addCommand(consentsCommand(context))
      .addCommand(setupCommand(context))
      .addCommand(completionCommand(context))
  }
  sayWhatToDo(program, 'tessera')
  return program.addHelpText(
    'after',
    `
Exit codes: 0 done; 1 refused or failed, standard error says why; 2 plan found changes, or import refused rows;
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
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, 'tessera:')) })
    .showHelpAfterError(`(${words} --help shows what there is)`)
  for (const part of command.commands) sayWhatToDo(part, `${words} ${part.name()}`)
}
