import type { Command } from 'commander'
import { connected, type ConnectOptions } from './connect.ts'
import { type ApiCall, type ApiObject, routeOf } from './connection.ts'
import { type Context, note, print } from './context.ts'
import { jsonFrom } from './json-file.ts'
import { Refused } from './refused.ts'
import { verbOf } from './verbs/verb.ts'

/** A verb that hands a JSON file to a long work, such as `tessera user bulk`. */
export function bulkVerb(context: Context, words: string, path: string, example: string): Command {
  const route = routeOf('POST', path)
  return verbOf(words, route, ['change.json --dry-run', 'change.json', `- <<< '${example}'`])
    .argument('<file>', `the body of POST ${path} as JSON; - for the standard input`)
    .action(async (file: string, options: ConnectOptions) => {
      await printWork(context, options, { route, body: await jsonFrom(context, file) })
    })
}

/** Tells how a long work goes on, and what was refused. Something refused is found with exit code 2. */
export async function printWork(context: Context, options: ConnectOptions, asking: ApiCall): Promise<void> {
  await connected(context, options, async (connection) => {
    const { lines } = await connection.ask(asking)
    for await (const line of lines ?? []) {
      if (line.kind === 'refused') context.foundWith(2)
      if (options.json === true) print(context, JSON.stringify(line))
      else tell(context, line)
      if (line.kind === 'done') return
      if (line.kind === 'failed') throw new Error(`${String(line.detail)} What was done until then stays.`)
    }
    throw new Error('The answer broke off. Run this again: what was done stays, and is not done twice.')
  })
}

function tell(context: Context, { kind, ...line }: ApiObject): void {
  const terminal = context.errors.isTTY === true && context.environment.TERM !== 'dumb'
  if (kind === 'progress' && !terminal) return
  if (terminal) context.errors.write('\r\u001B[K')
  if (kind === 'progress') context.errors.write(countsOf(line))
  if (kind === 'refused') note(context, `${String(line.email ?? line.user_uuid)}: ${refusedText(line)}`)
  if (kind !== 'done') return
  print(context, `${countsOf(line)}.`)
  if (line.dry_run !== true) return
  note(context, 'Nothing was changed: this is what it would do.')
  if (line.sign_in_again === true)
    note(context, 'It would be refused until you sign in again: tessera login.')
}

const refusedText = ({ code, detail }: ApiObject): string =>
  new Refused({ type: '', title: '', status: 400, error: String(code), detail: String(detail) }).text

const countsOf = (line: ApiObject): string =>
  Object.entries(line)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
    .join(', ')
