import { Argument, Command } from 'commander'
import { type MovedSystem, movedSystems } from '../protocol/move-in.ts'
import type { Context } from './context.ts'
import type { MoveInOptions } from './move-in-files.ts'

/** `tessera move-in SOURCE FILE…`: the export of another system as a declared file and rows to import. */
export function moveInCommand(context: Context): Command {
  return new Command('move-in')
    .description('Read the export of another system, and write what apply and import read.')
    .addArgument(new Argument('<source>', 'the other system').choices(movedSystems))
    .argument('<files...>', 'its export: files, or a directory of them (docs/move-in/)')
    .requiredOption(
      '--out <directory>',
      'where declared.yaml, people.jsonl, mapping.yaml and report.md are written',
    )
    .option('--prefix <code>', 'what stands before each code, where several systems move in')
    .option('--rp-id <domain>', 'the domain of passkeys here; those of another stay behind')
    .option('--json', 'print what happens as one JSON object a line')
    .addHelpText(
      'after',
      `
Nothing is changed, here or there: no database is opened. Read report.md first: it says what came along, what did not,
and what you have to decide. Edit mapping.yaml and run the same command again, as often as you like; the other files are
written anew. The files hold hashes: only their owner can read them.

Exit codes: 0 written; 1 the export can't be read, or says more than a declared file holds.

Examples:
  $ tessera move-in keycloak acme-realm.json --out moving
  $ tessera move-in keycloak export/ --out moving && tessera apply moving/declared.yaml
  $ tessera move-in auth0 people.ndjson hashes.ndjson apps.json --out moving
  $ tessera move-in ldif people.ldif --out moving
  $ tessera import moving/people.jsonl --dry-run`,
    )
    .action(async (source: MovedSystem, files: string[], options: MoveInOptions) => {
      // What reads exports is loaded by this command alone.
      const { moveInFiles } = await import('./move-in-files.ts')
      await moveInFiles(context, { source, files }, options)
    })
}
