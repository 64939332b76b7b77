/**
 * `cli/` owns the command `tessera`: one file per command. Exit codes: 0 done, 1 refused or failed (one line on
 * standard error says why and what to do), 2 `plan` found changes.
 */
import { Command } from 'commander'
import { applyCommand } from './apply.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { configurationCommand } from './configuration.ts'
import { consentsCommand } from './consents.ts'
import { devCommand } from './dev.ts'
import { exportCommand } from './export.ts'
import { fail } from './fail.ts'
import { hashCommand } from './hash.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { planCommand } from './plan.ts'
import { serveCommand } from './serve.ts'

const program = new Command('tessera')
  .description('OpenID Connect provider and token issuer for organisations.')
  .version('0.1.0')
  .showHelpAfterError('(tessera --help shows what there is)')
  .addCommand(serveCommand())
  .addCommand(devCommand())
  .addCommand(planCommand())
  .addCommand(applyCommand())
  .addCommand(exportCommand())
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())
  .addCommand(consentsCommand())
  .addCommand(auditCommand())
  .addCommand(hashCommand())
  .addCommand(configurationCommand())
  .addHelpText(
    'after',
    `
Exit codes: 0 done; 1 refused or failed, standard error says why; 2 plan found changes.

Examples:
  $ npm start                                     try everything on this machine
  $ TESSERA_ISSUER=https://id.example.com TESSERA_SECRET_FILE=secret tessera serve
  $ tessera plan access.yaml && tessera apply access.yaml`,
  )

try {
  await program.parseAsync()
} catch (error) {
  fail(error)
}
