import type { Command } from 'commander'
import type { ConnectOptions } from './connect.ts'
import { routeOf } from './connection.ts'
import type { Context } from './context.ts'
import { printWork } from './long-work.ts'
import type { Resource } from './resources/resource.ts'
import { listVerb } from './verbs/list.ts'
import { showVerb } from './verbs/show.ts'
import { verbOf } from './verbs/verb.ts'

const one = '8a4f2c1e-53d7-4b90-9c6e-2f0b7d1a6e34'

const imports: Resource = {
  noun: 'import',
  description: 'Imports of people.',
  path: '/imports',
  parameter: 'uuid',
  columns: routeOf('GET', '/imports').columns ?? [],
  examples: { one, list: '' },
}

/** `tessera import list`, `show` and `undo`: the imports that were made. */
export function importVerbs(context: Context): Command[] {
  const verbs = [listVerb(imports, context), showVerb(imports, context), undoVerb(context)]
  return verbs.filter((verb) => verb !== undefined)
}

function undoVerb(context: Context): Command {
  const route = routeOf('POST', '/imports/:uuid/undo')
  return verbOf('import undo', route, [`${one} --dry-run`, one])
    .argument('<uuid>', 'the import')
    .action(async (uuid: string, options: ConnectOptions) => {
      await printWork(context, options, { route, params: { uuid } })
    })
}
