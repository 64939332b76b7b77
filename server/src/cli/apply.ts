import { Command } from 'commander'
import { applyDeclared } from '../declared/apply.ts'
import { counted } from '../declared/describe-access.ts'
import { summary } from '../declared/describe.ts'
import { type Plan, planDeclared } from '../declared/plan.ts'
import { mailOf } from './mail-of.ts'
import { agreed, refuseUnasked } from './ask.ts'
import { type Context, note, print, printJson, withProgress } from './context.ts'
import { type DeclaredWork, planText, withDeclaredFile } from './declared-file.ts'
import { commandOrigin, openOrMake } from './with-store.ts'

interface ApplyOptions {
  json?: boolean
  yes?: boolean
  prune?: boolean
}

/** `tessera apply FILE`: makes it so, all or nothing. */
export function applyCommand(context: Context): Command {
  return new Command('apply')
    .description('Apply a declared file, all or nothing. A running service follows at once.')
    .argument('<file>', 'the declared file (docs/declared-file.md)')
    .option('--prune', 'also remove what the file managed and names no more')
    .option('--yes', 'do not ask')
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      `
It shows what tessera plan shows and asks before it changes anything; what it then does is what it showed, or nothing.
With --yes it asks nobody, and shows what it did. Where nobody can be asked, as in a script, it wants --yes for anything
that it would change. At the end it says how much was applied. The database is TESSERA_DATABASE_URL, and is named first.
Applying a file twice changes nothing the second time.

Exit codes: 0 applied, or nothing to change; 1 refused, failed, nobody to ask, or answered with no: nothing was changed.

Examples:
  $ tessera apply access.yaml                 # asks
  $ tessera apply access.yaml --prune --yes
  $ TESSERA_DATABASE_URL=sqlite:/var/lib/tessera/tessera.sqlite tessera apply access.yaml --yes --json`,
    )
    .action(async (file: string, options: ApplyOptions) => {
      const { database, done, shown } = await withDeclaredFile(context, file, openOrMake, async (work) => ({
        database: work.database,
        ...(await applied(context, work, options)),
      }))
      if (options.json) return printJson(context, { database, ...done })
      const applies = done.changes.length > 0 || done.adopts !== undefined
      // The plan is printed also when somebody else made the agreed changes meanwhile.
      if (!shown || !applies) print(context, planText(database, done))
      if (applies) print(context, `${shown ? '' : '\n'}Applied. ${summary(done)}`)
    })
}

/** What was done, and whether somebody was shown it before. */
async function applied(
  context: Context,
  work: DeclaredWork,
  { yes = false, prune = false }: ApplyOptions,
): Promise<{ done: Plan; shown: boolean }> {
  const { store, database, declared } = work
  const mail = declared.invitations.length === 0 ? undefined : mailOf(context.environment)
  const settings = { ...work.settings, prune, by: commandOrigin(), mail }
  if (yes) {
    const done = await withProgress(context, 'Applying …', () => applyDeclared(store, declared, settings))
    return { done, shown: false }
  }
  const expected = await withProgress(context, 'Comparing it with what is stored …', () =>
    planDeclared(store, declared, settings),
  )
  const apply = async () => await applyDeclared(store, declared, { ...settings, expected })
  const silent = expected.changes.length === 0 && expected.adopts === undefined
  if (silent) return { done: await apply(), shown: false }
  // Standard output is for what was done.
  note(context, `${planText(database, expected)}\n`)
  refuseUnasked(context, { yes }, 'It would change what is shown above')
  await agreed(context, `Apply this to ${database}?`)
  const applying = `Applying ${counted(expected.changes.length, 'change')} …`
  return { done: await withProgress(context, applying, apply), shown: true }
}
