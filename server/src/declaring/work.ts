import { appliedAnswer, outdated } from '../administration/declared.ts'
import type { AppliedFile, FileAsker, PlannedFile, SentFile } from '../administration/declared-files.ts'
import { authorityOf } from '../administration/authority.ts'
import { keepAnswer } from '../administration/change.ts'
import { settled } from '../audit/link.ts'
import { record } from '../audit/record.ts'
import { openExisting } from '../database/open.ts'
import type { Store } from '../database/store.ts'
import { applyDeclared, countsOf, OtherPlan } from '../declared/apply.ts'
import type { Declared } from '../declared/declared.ts'
import { exportDeclared } from '../declared/export.ts'
import { checkFileSize, parseDeclared } from '../declared/format.ts'
import { oursIn } from '../declared/ours.ts'
import { type Plan, planDeclared } from '../declared/plan.ts'
import { DeclaredFileError } from '../declared/problems.ts'
import { digestOf } from '../declared/sent.ts'
import { plainPasswords } from '../identity/plain-passwords.ts'
import { auditKeeper } from '../keys/audit-key.ts'
import { encryptedTotp } from '../keys/totp-secret.ts'
import { encryptedUpstream } from '../keys/upstream-secret.ts'
import { openMail } from '../mail/mail.ts'
import { Problem } from '../protocol/problem.ts'
import { inTransaction } from '../store/in-transaction.ts'
import type { DeclaredTask, DeclaringSettings, DoneBy } from './task.ts'

/** More entries of a plan are neither shown nor done over HTTP: a file of 5 MiB has 12,000 people. */
const most = 50_000
/** No more people are exported. */
const mostPeople = 20_000

/** Does a task. Throws what the answer refuses. */
export async function worked(
  task: DeclaredTask,
  settings: DeclaringSettings,
): Promise<DoneBy[DeclaredTask['kind']]> {
  if (task.kind === 'move-in') {
    // What reads exports is loaded for them alone.
    const { movedIn } = await import('./move-in.ts')
    return await movedIn(task.sent)
  }
  // The file first: a mistake in it opens nothing.
  const declared = task.kind === 'export' ? undefined : read(task.sent, settings)
  return await onStore(settings, async (store) => {
    if (task.kind === 'export') return await exported(store, task.asker)
    if (declared === undefined) throw new Error('A task without a file.')
    return task.kind === 'plan'
      ? await planned(store, task, declared, settings)
      : await applied(store, task, declared, settings)
  })
}

function read({ text, file }: SentFile, { mode, issuer }: DeclaringSettings): Declared {
  checkFileSize(file, Buffer.byteLength(text))
  const declared = parseDeclared(text.replace(/^\uFEFF/, ''), { file, mode })
  const ours = oursIn(declared, issuer)
  if (ours.length > 0) throw new DeclaredFileError(ours)
  return declared
}

async function onStore<T>(settings: DeclaringSettings, work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseLimits, secret, previousSecret } = settings
  const keeper = auditKeeper(() => ({ secret, previousSecret }))
  const store = await openExisting(databaseUrl, keeper, { ...databaseLimits, pool: 2 })
  if (store === undefined) throw new Error('The database of the service is gone.')
  let hasRecorded = false
  store.onRecorded(() => (hasRecorded = true))
  try {
    return await work(store)
  } finally {
    if (hasRecorded) await settled(store)
    await store.close()
  }
}

const senderOf = ({ actor }: FileAsker) => ({ user_uuid: actor?.kind === 'user' ? actor.id : undefined })

async function planned(
  store: Store,
  { sent, asker }: DeclaredTask & { kind: 'plan' },
  declared: Declared,
  { secret }: DeclaringSettings,
): Promise<PlannedFile> {
  const { now } = asker
  const { prune } = sent
  const plan = await planDeclared(store, declared, { now, prune, sender: senderOf(asker), ...plainPasswords })
  refuseMuch(plan)
  return { plan, digest: digestOf(sent, plan, secret) }
}

async function applied(
  store: Store,
  { sent, asker, digest, kept }: DeclaredTask & { kind: 'apply' },
  declared: Declared,
  settings: DeclaringSettings,
): Promise<AppliedFile> {
  const { now, claims: _, ...by } = asker
  const { secret } = settings
  const answerOf = (counts: AppliedFile['counts']): AppliedFile => ({ file: sent.file, digest, counts })
  const same = (plan: Plan) => digestOf(sent, plan, secret) === digest
  try {
    const plan = await applyDeclared(store, declared, {
      now,
      prune: sent.prune,
      by,
      sender: senderOf(asker),
      mail: openMail(settings),
      encryptTotp: (totp, id) => encryptedTotp(totp, id, secret),
      encryptUpstream: (text, uuid, of) => encryptedUpstream(text, uuid, of, secret),
      agrees(plan) {
        refuseMuch(plan)
        return same(plan)
      },
      async first(trx, counts) {
        await checkAgain(trx, asker)
        const answer = () => JSON.stringify(appliedAnswer(answerOf(counts)))
        if (kept !== undefined) await keepAnswer(trx, { ...kept, answer }, undefined)
      },
      ...plainPasswords,
    })
    // Where nothing is to be done, nobody was asked.
    if (!same(plan)) throw new OtherPlan(plan)
    return answerOf(countsOf(plan))
  } catch (error) {
    throw error instanceof OtherPlan ? outdated(digestOf(sent, error.plan, secret)) : error
  }
}

/** The authority is looked at again: of two administrators who take from one another the second is refused. */
async function checkAgain(trx: Store['db'], { claims, now }: FileAsker): Promise<void> {
  const today = claims && (await authorityOf(inTransaction(trx), claims, now))
  if (today === undefined)
    throw new Problem(
      'invalid_token',
      'What the access token is for was disabled meanwhile; nothing was changed.',
    )
  today.requires('iam.declared.update')
  today.changesEverything()
}

function refuseMuch({ changes, access, adopts = [] }: Plan): void {
  const told = changes.length + access.users.length + access.clients.length + adopts.length
  if (told > most)
    throw new Problem(
      'conflict',
      `It would change more than ${most} things, or the access of more people, than is done over HTTP. Use tessera plan and tessera apply on the machine, or split the file.`,
    )
}

async function exported(store: Store, asker: FileAsker): Promise<string> {
  const { now, claims: _, ...by } = asker
  const { count } = await store.db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) > mostPeople)
    throw new Problem(
      'conflict',
      `There are more than ${mostPeople} people: use tessera export on the machine.`,
    )
  const text = await exportDeclared(store, now, { hashes: false })
  await record(store, { at: now, kind: 'declared.exported', ...by })
  return text
}
