import type { EntryChange } from '../access/entering.ts'
import type { ClientProof } from '../access/proving.ts'
import type { Strengthened } from '../access/strengthened.ts'
import {
  counted,
  describeAccess,
  entryLines,
  provingLines,
  stoppedLines,
} from '../declared/describe-access.ts'
import type { Connection, ApiObject } from './connection.ts'
import { type Context, note, print, printJson } from './context.ts'
import { asShown, placeFields, withNames } from './names.ts'
import { printFields } from './show.ts'

interface Tried {
  would: ApiObject | null
  access: { users: ApiObject[]; clients: ApiObject[]; complete: boolean } | null
  ends: { sessions: number; token_families: number } | null
  sign_in_again: boolean
  enters: EntryChange[] | null
  forces: Strengthened['sign_in'] | null
  strengthens: Pick<Strengthened, 'enrol' | 'refresh'> | null
  weakens: { client_id: string; field: string; detail: string }[]
  proves: ClientProof[]
  removed_with: Record<string, number>
}

const nobody = { enrol: { people: 0, organisations: 0 }, refresh: null }

/** Tells what a change would do. */
export async function printTried(
  context: Context,
  connection: Connection,
  body: ApiObject,
  json: boolean,
): Promise<void> {
  if (json) return printJson(context, body)
  const {
    would,
    access,
    ends,
    enters,
    forces,
    strengthens,
    weakens,
    proves,
    sign_in_again: again,
    removed_with: removed,
  } = body as unknown as Tried
  note(context, 'Nothing was changed. This is what it would do:')
  if (would !== null) printFields(context, await asShown(connection, would, {}))
  const along = Object.entries(removed).map(([kind, count]) => counted(count, kind))
  if (along.length > 0) print(context, `Also removed: ${along.join(', ')}.`)
  if (ends !== null && ends.sessions + ends.token_families > 0) {
    const families = ends.token_families === 1 ? '1 token family' : `${ends.token_families} token families`
    print(context, `Also ended: ${counted(ends.sessions, 'session')}, ${families}.`)
  }
  for (const line of entryLines(enters)) print(context, line)
  for (const line of stoppedLines({ ...(strengthens ?? nobody), ...(forces && { sign_in: forces }) }))
    print(context, line)
  for (const { client_id: id, field, detail } of weakens)
    print(context, `Weaker: client ${id}, ${field}: ${detail}`)
  if (proves.length > 0) print(context, provingLines(proves).join('\n'))
  if (again) note(context, 'It would be refused until you sign in again: tessera login.')
  if (access === null) return
  const placed = async (all: ApiObject[]) =>
    (await withNames(connection, all, placeFields)).map(
      ({ organisation_uuid: organisation, organisation_unit_uuid: unit, ...one }) => ({
        ...one,
        organisation,
        unit,
      }),
    )
  const [users, clients] = [await placed(access.users), await placed(access.clients)]
  print(context, describeAccess({ users, clients } as unknown as Parameters<typeof describeAccess>[0]))
  if (!access.complete) note(context, 'There are more people or clients whose access could change.')
}
