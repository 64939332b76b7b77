import * as z from 'zod'
import { type ExportRecord, type RecordShape, recordsOf } from './records.ts'
import {
  type ExportFile,
  lost,
  type MoveInSource,
  type Remark,
  type SourceOptions,
  type ToldMachine,
  type ToldPerson,
  type ToldStructure,
} from './told.ts'
import { UnreadableExport } from './unreadable.ts'

/** A system whose exports are entries: what each is, and what is made of it. */
export interface RecordSource<State> extends RecordShape {
  /** What people call the system. */
  name: string
  begin: (files: number) => State
  /** Learns what an entry says of others than itself. False: it is nothing of this system. */
  learn: (state: State, record: ExportRecord) => boolean
  structure: (state: State) => Iterable<ToldStructure>
  /** The people of an entry, if it is of any. */
  people: (record: ExportRecord, state: State, options: SourceOptions) => Iterable<ToldSomebody>
}

type ToldSomebody = ToldPerson | ToldMachine | Remark

/** Reads such exports: once for what they hold beside the people, and again for these. */
export function fromRecords<State>(source: RecordSource<State>): MoveInSource {
  return (files, options) => {
    let read: Promise<Learned<State>> | undefined
    const learned = async () => await (read ??= learn(source, files))
    return {
      structure: async function* () {
        const { state, unknown } = await learned()
        yield* source.structure(state)
        for (const at of unknown.examples)
          yield lost(`An entry is nothing of ${source.name} that is known, and is left out.`, at)
        if (unknown.count > unknown.examples.length)
          yield lost('There are more such entries.', String(unknown.count))
      },
      people: async function* () {
        const { state } = await learned()
        for (const file of files)
          for await (const one of recordsOf(file, source))
            if (one.is === 'remark') yield one
            else if (!isOfAnother(one, source.name)) yield* source.people(one, state, options)
      },
    }
  }
}

interface Learned<State> {
  state: State
  unknown: { count: number; examples: string[] }
}

async function learn<State>(
  source: RecordSource<State>,
  files: readonly ExportFile[],
): Promise<Learned<State>> {
  const state = source.begin(files.length)
  const unknown = { count: 0, examples: [] as string[] }
  let known = 0
  let looks: string | undefined
  let unreadable: Remark | undefined
  for (const file of files) {
    for await (const one of recordsOf(file, source)) {
      if (one.is === 'remark') unreadable ??= one
      else if (!isOfAnother(one, source.name) && source.learn(state, one)) known++
      else {
        looks ??= looksLike(one)
        unknown.count++
        if (unknown.examples.length < 5) unknown.examples.push(one.at)
      }
    }
  }
  if (known > 0) return { state, unknown }
  const why =
    looks !== undefined && looks !== source.name
      ? ` It looks like an export of ${looks}.`
      : unreadable !== undefined
        ? ` ${unreadable.example}: ${unreadable.what}`
        : ''
  throw new UnreadableExport(
    `Nothing in ${files.map((one) => one.name).join(', ')} is of ${source.name}.${why}`,
  )
}

/** Keys by which entries of a system are known. */
const signs: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Firebase: [['localId']],
  Ory: [['traits']],
  Logto: [['primaryEmail'], ['primary_email']],
  Cognito: [['Username', 'Attributes'], ['cognito:username']],
  Django: [['model', 'fields']],
  'ASP.NET Identity': [['SecurityStamp'], ['NormalizedUserName']],
  Auth0: [
    ['user_id', 'identities'],
    ['_id', 'passwordHash'],
    ['user_id', 'email_verified'],
  ],
  Okta: [
    ['profile', 'status'],
    ['login', 'firstName'],
  ],
  ZITADEL: [['humanUsers'], ['human', 'userId'], ['userId', 'user']],
  Keycloak: [['realm'], ['username', 'requiredActions']],
}

function looksLike({ values }: ExportRecord): string | undefined {
  const found = Object.entries(signs).find(([, all]) =>
    all.some((keys) => keys.every((key) => Object.hasOwn(values, key))),
  )
  return found?.[0]
}

const isOfAnother = (record: ExportRecord, name: string) => (looksLike(record) ?? name) !== name

/** Text, where it is some. */
export const someText = z
  .string()
  .nullish()
  .catch(undefined)
  .transform((one) => (one?.trim() ? one.trim() : undefined))
export const someTexts = z
  .array(z.string())
  .nullish()
  .catch(undefined)
  .transform((one) => one ?? [])

/** What is yes or no. Whatever else stands there makes the entry one that can't be read: it may mean either. */
export const yesOrNo = z
  .union([
    z.boolean(),
    z.literal([0, 1]).transform((one) => one === 1),
    z
      .string()
      .trim()
      .regex(/^(true|false|t|f|1|0|yes|no|null|)$/i)
      .transform((one) => /^(true|t|1|yes)$/i.test(one)),
  ])
  .nullish()
  .transform((one) => one ?? undefined)

/** An id of a database: a number, or text. */
export const anId = z.union([z.string(), z.int()]).transform(String)

/** Names of which as many are kept as a declared file can take in. */
export class Names {
  readonly #names = new Set<string>()

  add(name: string): void {
    if (name !== '' && this.#names.size < mostNames) this.#names.add(name)
  }

  sorted(): string[] {
    return [...this.#names].sort()
  }
}

const mostNames = 10_000

/** The group whose members a file lists, where a system does not say it in the list: `admins.group.json`. */
export const groupOfFile = (file: string): string | undefined => /^(.+)\.group\.json$/i.exec(file)?.[1]
