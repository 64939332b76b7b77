/**
 * `cli/` owns the command `tessera`: one file per command. Exit codes: 0 done, 1 refused or failed (one line on
 * standard error says why and what to do), 2 `plan` found changes, `import` refused rows or `compare` found what
 * applications notice, 3 `audit verify` could not check, 4 there is nothing by that name.
 */
import { fail } from './fail.ts'
import { tesseraProgram } from './program.ts'

// No `await` here: the command is bundled into a function.
tesseraProgram({ commandLine: process.argv.slice(2) })
  .then((program) => program.parseAsync())
  .catch((error: unknown) => {
    process.exitCode = fail(error)
  })
