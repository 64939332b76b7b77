/** The commands that administer, by the API or straight on the database. */
import type { Command } from 'commander'
import { settledNames } from '../catalogue/settled.ts'
import { administered } from '../protocol/things.ts'
import { accessCommand } from './access.ts'
import { consentsCommand } from './consents.ts'
import type { Context } from './context.ts'
import { meCommand } from './me.ts'
import { attentionCommand, settingsCommand, statisticsCommand } from './overview.ts'
import { resourceCommand, resources } from './resources/commands.ts'
import { settledCommand } from './settled.ts'
import { setupCommand } from './setup.ts'

interface Administering {
  /** Its name and its alias. */
  names: readonly (string | undefined)[]
  make: (context: Context) => Command
}

/** By their names: to describe all of them takes longer than most commands do. */
export const administering: readonly Administering[] = [
  ...resources.map((one) => ({
    names: [one.noun, one.alias],
    make: (context: Context) => resourceCommand(one, context),
  })),
  ...settledNames.map((what) => ({
    names: [administered[what].many],
    make: (context: Context) => settledCommand(context, what),
  })),
  { names: ['statistics'], make: statisticsCommand },
  { names: ['attention'], make: attentionCommand },
  { names: ['settings'], make: settingsCommand },
  { names: ['access'], make: accessCommand },
  { names: ['me'], make: meCommand },
  { names: ['consents'], make: consentsCommand },
  { names: ['setup'], make: setupCommand },
]
