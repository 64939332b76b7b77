import { Command } from 'commander'
import { applyDeclared } from '../declared/apply.ts'
import { describePlan } from '../declared/describe.ts'
import { type Plan, planDeclared } from '../declared/plan.ts'
import { openStore } from '../store/open.ts'
import { confirmed } from './confirm.ts'
import { type DeclaredWork, withDeclaredFile } from './declared-file.ts'
import { commandOrigin } from './origin.ts'
import { isTerminal, note, print, type World } from './world.ts'

interface Options {
  json?: boolean
  yes?: boolean
  prune?: boolean
}

/** `tessera apply FILE`: makes it so, all or nothing. */
export function applyCommand(world: World): Command {
  return new Command('apply')
    .description('Apply a declared file, all or nothing. A running service follows at once.')
    .argument('<file>', 'the declared file (docs/declared-file.md)')
    .option('--prune', 'also remove what the file managed and names no more')
    .option('--yes', 'do not ask')
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      `
On a terminal it shows what tessera plan shows and asks before it changes anything; what it then does is what it
showed, or nothing. Without a terminal, as in a script, it asks nobody; --prune then wants
--yes. The database is TESSERA_DATABASE_URL.
Applying a file twice changes nothing the second time.

Exit codes: 0 applied, or nothing to change; 1 refused, failed or answered with no: nothing was changed.

Examples:
  $ tessera apply access.yaml
  $ tessera apply access.yaml --prune --yes
  $ TESSERA_DATABASE_URL=sqlite:/var/lib/tessera/tessera.sqlite tessera apply access.yaml --yes --json`,
    )
    .action(async (file: string, options: Options) => {
      if (options.prune === true && options.yes !== true && !isTerminal(world)) {
        throw new Error(
          '--prune removes things, and nobody can be asked here: look at tessera plan --prune, then add --yes.',
        )
      }
      const done = await withDeclaredFile(world, file, openStore, (work) => applied(world, work, options))
      print(world, options.json ? JSON.stringify(done, null, 2) : describePlan(done))
    })
}

async function applied(
  world: World,
  work: DeclaredWork,
  { yes = false, prune = false }: Options,
): Promise<Plan> {
  const { store, declared } = work
  const settings = { ...work.settings, prune, by: commandOrigin() }
  const asks = !yes && isTerminal(world)
  if (!asks) return await applyDeclared(store, declared, settings)
  const expected = await planDeclared(store, declared, settings)
  if (expected.changes.length > 0) {
    // Standard output holds what was done.
    note(world, `${describePlan(expected)}\n`)
    const agreed = await confirmed('Apply this?', { input: world.input, output: world.errors })
    if (!agreed) throw new Error('Nothing was changed.')
  }
  return await applyDeclared(store, declared, { ...settings, expected })
}
