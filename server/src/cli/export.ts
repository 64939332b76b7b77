import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { exportDeclared } from '../declared/export.ts'
import { record } from '../audit/record.ts'
import { type Context, print } from './context.ts'
import { plain } from './plain.ts'
import { commandOrigin, withStore } from './with-store.ts'

/** `tessera export [FILE]`: the whole state as a declared file. */
export function exportCommand(context: Context): Command {
  return new Command('export')
    .description('Write the whole state as a declared file, with passwords and secrets as hashes.')
    .argument('[file]', 'the file to make; it must not exist. Left out: standard output')
    .addHelpText(
      'after',
      `
Applied to an empty database it gives the same services, roles, organisations, people and clients; sessions, tokens,
consents, signing keys and the audit are not in it (tessera backup copies everything). The file is for its owner
alone: it holds hashes. The database is TESSERA_DATABASE_URL.

Exit codes: 0 written; 1 refused or failed.

Examples:
  $ tessera export everything.yaml
  $ tessera export | diff access.yaml -
  $ tessera export everything.yaml && TESSERA_DATABASE_URL=sqlite:copy.sqlite tessera apply everything.yaml --yes`,
    )
    .action(async (file: string | undefined) => {
      await withStore(context, async (store) => {
        const now = Date.now()
        const text = await exportDeclared(store, now)
        const recordIt = () => record(store, { at: now, kind: 'declared.exported', ...commandOrigin() })
        if (file === undefined) {
          await recordIt()
          // A file gets the text as it is; a terminal must not take it for instructions.
          context.output.write(context.output.isTTY === true ? plain(text) : text)
        } else {
          await writeNew(file, text, recordIt)
          print(context, `${file} holds the whole state.`)
        }
      })
    })
}

/**
 * The file has its name when it is whole and recorded: half of one could be a declared file as well. Until then it is
 * `FILE.partial`, which a process that is killed leaves behind.
 */
async function writeNew(file: string, text: string, recordIt: () => Promise<void>): Promise<void> {
  const partial = `${file}.partial`
  if (existsSync(file))
    throw new Error(`${file} exists already. Choose another name; an export replaces nothing.`)
  if (existsSync(partial))
    throw new Error(`${partial} is there: of an export that is under way, or was killed; then remove it.`)
  try {
    writeFileSync(partial, text, { flag: 'wx', mode: 0o600 })
    await recordIt()
    renameSync(partial, file)
  } catch (error) {
    // Unless another process made it just now.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(partial, { force: true })
    throw error
  }
}
