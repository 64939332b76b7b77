import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { describePlan } from '../declared/describe.ts'
import { doesSomething, planDeclared } from '../declared/plan.ts'
import { auditKeeper } from '../keys/audit-key.ts'
import { openToRead } from '../database/open.ts'
import { readDatabaseUrl } from '../settings.ts'
import { type Context, print, printJson, withProgress } from './context.ts'
import { withDeclaredFile } from './declared-file.ts'

/** `tessera plan FILE`: what would change, and whose access. */
export function planCommand(context: Context): Command {
  return new Command('plan')
    .description('Show what a declared file would change, and whose access it would change. Changes nothing.')
    .argument('<file>', 'the declared file (docs/declared-file.md)')
    .option('--prune', 'also show what goes that the file managed and names no more')
    .option('--json', 'print the plan as JSON')
    .addHelpText(
      'after',
      `
The database is TESSERA_DATABASE_URL; where it is missing or has no tables yet, an empty one is compared with. Exit code 0: nothing to change; 2: there are changes; 1: refused or failed.

Examples:
  $ tessera plan access.yaml
  $ tessera plan access.yaml --prune
  $ tessera plan access.yaml --json | jq '.changes | length'`,
    )
    .action(async (file: string, { json, prune = false }: { json?: boolean; prune?: boolean }) => {
      // An empty database to compare with has a secret of its own, and nothing is recorded in any.
      const keeper = auditKeeper(() => ({ secret: randomUUID(), previousSecret: undefined }))
      const open = ({ environment }: Context) => {
        const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
        return openToRead(databaseUrl, keeper, databaseLimits)
      }
      const plan = await withDeclaredFile(context, file, open, ({ store, declared, settings }) =>
        withProgress(context, 'Comparing it with what is stored …', () =>
          planDeclared(store, declared, { ...settings, prune }),
        ),
      )
      if (json) printJson(context, plan)
      else print(context, describePlan(plan))
      if (doesSomething(plan)) context.foundWith(2)
    })
}
