import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { renewStatistics } from '../../database/statistics.ts'
import type { ImportRow } from '../../database/schema-admin.ts'
import { lastLineOf, type SourceRow } from '../../import/lines.ts'
import { checkColumns } from '../../import/row.ts'
import { type ImportStep, importSteps, whole } from '../../import/rows.ts'
import { type ImportSource, readSource } from '../../import/source.ts'
import { encryptedTotp } from '../../keys/totp-secret.ts'
import type { TotpSecret } from '../../protocol/totp-secret.ts'
import { newImport } from '../../store/imports.ts'
import type { By } from '../by.ts'
import { administering, originOf } from '../change.ts'
import { newTrial, storeWithin } from '../effect.ts'
import { isLongAgo, wantRecentSignIn } from '../recent-sign-in.ts'
import { linesAnswer } from '../lines.ts'
import type { AdministrationService, RouteRequest, RouteResponse } from '../route.ts'
import type { ImportLine } from './lines.ts'
import { limited } from './limited.ts'

interface SentRows extends RouteRequest {
  body: { name: string; text: string }
}

/**
 * Imports what was sent, or says what would come of it. Throws before the first line where the file can't be read or
 * its columns are none. Concurrency: each batch as `change`, or, for an administrator of a part, each row; others go on
 * between.
 */
export async function imported(asked: SentRows, dryRun: boolean): Promise<RouteResponse> {
  const { by, body } = asked
  const source = await readSource(Readable.from([Buffer.from(body.text)]))
  checkColumns(source)
  const isWhole = by.authority.holdsEverything
  // Hashes, uuids and proved addresses: as by a declared file.
  if (isWhole && !dryRun) wantRecentSignIn(by)
  return linesAnswer(asked, linesOf(asked, source, dryRun))
}

async function* linesOf(asked: SentRows, source: ImportSource, dryRun: boolean): AsyncGenerator<ImportLine> {
  const { service, by: sender, closed, body } = asked
  const isWhole = sender.authority.holdsEverything
  const tried = { ...newTrial(), signInAgain: isWhole && isLongAgo(sender) }
  const by: By = dryRun ? { ...sender, tried } : sender
  const of = newImport({ name: body.name, by, now: by.now, ...by.authority.reach })
  const steps = importSteps(
    { ...source, rows: oneByOne(source.rows) },
    {
      rpId: () => service.settings.webauthn.rpId ?? new URL(service.issuer).hostname,
      isStopped: () => closed.aborted,
      bringIn: isWhole
        ? everything(service, by, of)
        : limited({ store: service.store, by, import: of, dryRun }),
    },
  )
  const { format, columns } = source
  for await (const step of steps) {
    if (step.kind === 'refused') yield* refusedLines(step)
    else {
      const { kind, counts } = step
      const told = { ...counts, import_uuid: dryRun || counts.imported === 0 ? null : of.uuid }
      if (kind === 'progress') yield { kind, ...told }
      else {
        if (!dryRun) await renewStatistics(service.store, counts.imported)
        const head = { format, columns: columns.filter((one) => one !== ''), dry_run: dryRun }
        yield { kind, ...told, ...head, sign_in_again: tried.signInAgain }
      }
    }
  }
}

function* refusedLines({ row, problems }: ImportStep & { kind: 'refused' }): Generator<ImportLine> {
  const { line } = row
  for (const { field, detail } of problems)
    yield { kind: 'refused', line, last_line: lastLineOf(row), field, detail }
}

/** A file in memory is never waited for: others are answered between its rows. */
async function* oneByOne(rows: AsyncIterable<SourceRow>): AsyncGenerator<SourceRow> {
  for await (const row of rows) {
    yield row
    await nextTurn()
  }
}

/** The command's import; what its sender may do is asked again with each batch. */
function everything({ store, settings }: AdministrationService, by: By, of: ImportRow) {
  const dryRun = by.tried !== undefined
  const parts = {
    dryRun,
    by: originOf(by),
    now: () => by.now,
    import: of,
    encryptTotp: (totp: TotpSecret, id: string) => encryptedTotp(totp, id, settings.secret),
  }
  const bringIn = whole(store, parts)
  return async (users: Parameters<typeof bringIn>[0]) =>
    dryRun
      ? await bringIn(users)
      : await administering(store, by, async (trx) => await whole(storeWithin(store, trx), parts)(users))
}
