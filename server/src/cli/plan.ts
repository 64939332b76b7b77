import { Command } from 'commander'
import { describePlan } from '../declared/describe.ts'
import { planDeclared } from '../declared/plan.ts'
import { openToRead } from '../store/open.ts'
import { withDeclaredFile } from './declared-file.ts'
import { print, type World } from './world.ts'

/** `tessera plan FILE`: what would change, and whose access. */
export function planCommand(world: World): Command {
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
      const plan = await withDeclaredFile(world, file, openToRead, ({ store, declared, settings }) =>
        planDeclared(store, declared, { ...settings, prune }),
      )
      print(world, json ? JSON.stringify(plan, null, 2) : describePlan(plan))
      if (plan.changes.length > 0) world.foundWith(2)
    })
}
