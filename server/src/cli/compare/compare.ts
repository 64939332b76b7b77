import { readFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { note, print, printJson } from '../context.ts'
import { loginsKept } from '../kept-login.ts'
import { printTable } from '../show.ts'
import { readIssuer as issuerOfSettings, SettingsError } from '../../settings.ts'
import { compared, type Pair, type ClaimRow, shown } from './claims.ts'
import { type Answers, type Issuer, readIssuer } from './other-issuer.ts'
import { linesOf, signedIn } from './sign-in.ts'

export interface CompareOptions {
  with: string
  client: string
  as: string
  redirectUri: string
  scope: string
  url?: string
  secretFile?: string
  withSecretFile?: string
  json?: boolean
}

/** Asks both services for the same person and client, and shows what they say side by side. */
export async function compare(context: Context, options: CompareOptions): Promise<void> {
  const { client: id, redirectUri, as, scope } = options
  if (!URL.canParse(redirectUri))
    throw new Error('--redirect-uri must be an address that the client has registered.')
  const [secret, theirSecret] = await secretsOf(context, options)
  const here = await readIssuer(await ourIssuer(context, options.url))
  const there = await readIssuer(options.with)
  if (here.issuer === there.issuer)
    throw new Error(`Both are ${here.issuer}: name the other service by --with.`)
  const pasted = linesOf(context)
  const at = async (issuer: Issuer, secret: string | undefined) => {
    const answers = await signedIn(context, issuer, {
      client: { id, secret, redirectUri },
      asked: { scope, as },
      pasted,
    })
    warnOfAnother(context, issuer, answers, as)
    return answers
  }
  try {
    const theirs = await at(there, theirSecret)
    const ours = await at(here, secret)
    show(context, {
      here,
      there,
      options,
      rows: compared(pairsOf(ours, theirs), { here: here.issuer, there: there.issuer }),
    })
  } finally {
    await pasted.return()
  }
}

const pairsOf = (here: Answers, there: Answers): Pair[] => [
  { of: 'ID token', here: here.id, there: there.id },
  { of: 'access token', here: here.access, there: there.access },
  { of: 'userinfo', here: here.userinfo, there: there.userinfo },
  { of: 'token answer', here: here.token, there: there.token },
]

interface Shown {
  here: Issuer
  there: Issuer
  options: CompareOptions
  rows: readonly ClaimRow[]
}

function show(context: Context, { here, there, options, rows }: Shown): void {
  const told = rows.map((row) => ({
    ...row,
    claim: shown('', row.claim),
    here: shown(row.claim, row.here),
    there: shown(row.claim, row.there),
  }))
  const noticed = rows.filter((row) => row.noticed).length
  if (noticed > 0) context.foundWith(2)
  if (options.json === true) {
    const asked = { client_id: options.client, as: options.as, scope: options.scope }
    return printJson(context, { here: here.issuer, there: there.issuer, ...asked, noticed, answers: told })
  }
  const cells = told.map(({ here, there, verdict, noticed, why, ...row }) => ({
    ...row,
    here: cellOf(here),
    there: cellOf(there),
    verdict: `${noticed ? 'NOTICED: ' : ''}${words[verdict]}${why === undefined ? '' : `; ${why}`}`,
  }))
  note(context, `here: ${here.issuer}\nthere: ${there.issuer}`)
  printTable(context, cells, ['in', 'claim', 'here', 'there', 'verdict'])
  print(
    context,
    noticed === 0 ? 'No application would notice.' : `An application would notice ${noticed} of these.`,
  )
}

const words: Readonly<Record<ClaimRow['verdict'], string>> = {
  same: 'the same',
  always_differs: 'always differs',
  changed: 'differs',
  type_changed: 'is of another type',
  only_here: 'only here',
  only_there: 'only there',
}

const cellOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** The answers count for nothing where somebody else signed in. */
function warnOfAnother(context: Context, { issuer }: Issuer, { id, userinfo }: Answers, as: string): void {
  const named = [id, userinfo ?? {}].flatMap(({ email, preferred_username }) => [email, preferred_username])
  const texts = named.filter((one) => typeof one === 'string')
  if (texts.some((one) => one.toLowerCase() === as.toLowerCase())) return
  const [other] = texts
  note(
    context,
    other === undefined
      ? `WARNING: ${issuer} does not say whom its answers are of; ask for the scope email.`
      : `WARNING: the answers of ${issuer} are of ${String(shown('email', other))}, and not of ${as}. Sign out there first.`,
  )
}

/** The option, the environment, or the one service that somebody is signed in to. */
async function ourIssuer(context: Context, url: string | undefined): Promise<string> {
  const { TESSERA_COMPARE_SECRET: _, TESSERA_URL: named, ...settings } = context.environment
  const address = url ?? named
  if (address) return address
  if (settings.TESSERA_ISSUER) return issuerOfSettings(settings)
  const [only, ...more] = await loginsKept(context)
  if (only !== undefined && more.length === 0) return only
  throw new SettingsError('Which service is this side? Add --url, or set TESSERA_ISSUER.')
}

async function secretsOf({ environment }: Context, { secretFile, withSecretFile }: CompareOptions) {
  const read = async (file: string) => (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  const ours =
    secretFile === undefined ? environment.TESSERA_COMPARE_SECRET || undefined : await read(secretFile)
  return [ours, withSecretFile === undefined ? ours : await read(withSecretFile)] as const
}
