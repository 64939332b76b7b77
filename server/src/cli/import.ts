import { Command } from 'commander'
import type { Context } from './context.ts'
import type { ImportOptions } from './import-file.ts'
import { importVerbs } from './imports.ts'

/** `tessera import FILE`: users of another system, with the hashes of their passwords. */
export function importCommand(context: Context): Command {
  const command = new Command('import')
    .description('Import users from CSV or JSON lines, with the hashes of their passwords.')
    .argument('<file>', 'the rows; - is standard input (docs/import.md)')
    .option('--dry-run', 'check every row and import none')
    .option('--refused <file>', 'write the refused rows into a new file, to be mended and imported')
    .option('--firebase-key <file>', 'the password hash parameters of a Firebase project (docs/import.md)')
    .option('--accept-weak', 'take weak hashes too, wrapped, for 90 days (docs/import.md)')
    .option('--json', 'print what happens as one JSON object a line')
    .addHelpText(
      'after',
      `
Rows are imported 200 at a time, while the service runs. It can be stopped at any time, also by Ctrl+C: run it again,
with another file for --refused, and the rows that are in already are skipped. A refused row is told with its line, and
nothing of it is written; of each kind the first five are told, and then their number. An unproved account with the
address of a row is removed, and its person made anew. Hashes of Firebase need the parameters of their project, weak
ones (phpass, WordPress, SHA-crypt, {SSHA}) --accept-weak: wrapped in argon2id, until the first sign-in or for 90 days.
The database is TESSERA_DATABASE_URL.

Exit codes: 0 every row is in; 1 failed or stopped: what was said to be in is in; 2 some rows were refused.

Examples:
  $ tessera import people.csv --dry-run
  $ tessera import people.csv --refused refused.csv
  $ zcat people.jsonl.gz | tessera import - --json
  $ tessera import people.jsonl --firebase-key parameters.txt
  $ tessera import list                           what was imported; undo takes one back`,
    )
    .action(async (file: string, options: ImportOptions) => {
      // What reads rows is loaded by this command alone.
      const { importFile } = await import('./import-file.ts')
      await importFile(context, file, options)
    })
  command.enablePositionalOptions()
  for (const verb of importVerbs(context)) command.addCommand(verb)
  return command
}
