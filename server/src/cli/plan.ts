import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { doesSomething, planDeclared } from '../declared/plan.ts'
import { auditKeeper } from '../keys/audit-key.ts'
import { openEmpty, openExisting } from '../database/open.ts'
import { readDatabaseUrl } from '../settings.ts'
import { type Context, print, printJson, withProgress } from './context.ts'
import { type DeclaredWork, planText, withDeclaredFile } from './declared-file.ts'

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
The database is TESSERA_DATABASE_URL, and is named first; where it is missing or has no tables yet, an empty one is
compared with. Exit code 0: nothing to change; 2: there are changes; 1: refused or failed.

Examples:
  $ tessera plan access.yaml
  $ tessera plan access.yaml --prune
  $ tessera plan access.yaml --json | jq '.changes | length'`,
    )
    .action(async (file: string, { json, prune = false }: { json?: boolean; prune?: boolean }) => {
      let isThere = true
      const open = async ({ environment }: Context) => {
        // An empty database to compare with has a secret of its own, and nothing is recorded in any.
        const keeper = auditKeeper(() => ({ secret: randomUUID(), previousSecret: undefined }))
        const { databaseUrl, databaseLimits } = readDatabaseUrl(environment)
        const found = await openExisting(databaseUrl, keeper, databaseLimits)
        isThere = found !== undefined
        return found ?? (await openEmpty(keeper, databaseLimits))
      }
      const compare = async ({ store, database, declared, settings }: DeclaredWork) => ({
        database,
        plan: await withProgress(context, 'Comparing it with what is stored …', () =>
          planDeclared(store, declared, { ...settings, prune }),
        ),
      })
      const { database, plan } = await withDeclaredFile(context, file, open, compare)
      const empty = isThere ? '' : ', which has no tables yet: an empty one is compared with'
      if (json) printJson(context, { database, ...plan })
      else print(context, planText(`${database}${empty}`, plan))
      if (doesSomething(plan)) context.foundWith(2)
    })
}
