import { Command } from 'commander'
import { applyDeclared } from '../declared/apply.ts'
import { describePlan } from '../declared/describe.ts'
import { openStore } from '../store/open.ts'
import { withDeclaredFile } from './declared-file.ts'

/** `tessera apply FILE`: makes it so, all or nothing. */
export function applyCommand(): Command {
  return new Command('apply')
    .description('Apply a declared file, all or nothing. A running service follows at once.')
    .argument('<file>', 'the declared file (docs/declared-file.md)')
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      `
The database is TESSERA_DATABASE_URL. Applying a file twice changes nothing the second time.

Examples:
  $ tessera apply access.yaml
  $ TESSERA_DATABASE_URL=sqlite:/var/lib/tessera/tessera.sqlite tessera apply access.yaml --json`,
    )
    .action(async (file: string, { json }: { json?: boolean }) => {
      const done = await withDeclaredFile(file, openStore, ({ store, declared, settings }) =>
        applyDeclared(store, declared, settings),
      )
      process.stdout.write(json ? `${JSON.stringify(done, null, 2)}\n` : `${describePlan(done)}\n`)
    })
}
