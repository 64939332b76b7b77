import { basename } from 'node:path'
import * as z from 'zod'
import { Problem } from '../protocol/problem.ts'
import type { Authority } from './authority.ts'
import type { By } from './by.ts'
import { givenAnswer, originOf } from './change.ts'
import type { AppliedFile, FileAsker, PlannedFile, SentFile } from './declared-files.ts'
import { declaredPlan } from './declared-plan.ts'
import { text } from './fields.ts'
import { isLongAgo, wantRecentSignIn } from './recent-sign-in.ts'
import { type RouteRequest, type RouteResponse, route, type Route } from './route.ts'

/** Declared files over HTTP: what a command does on the machine, for whoever administers everything. */

/** A text of 5 MiB, each second character of which JSON has to escape. */
const bodyLimit = 10 * 1024 * 1024
/** The time that a gateway waits, ms. */
export const patience = 60_000

export const fileName = text(200).refine((name) => basename(name) === name && !['.', '..'].includes(name), {
  message: 'It is the name of the file, without a folder.',
})

const sentFile = {
  text: z
    .string()
    .describe('The file itself, at most 5 MiB in UTF-8. It is not kept, and nothing that it names is read.'),
  file: fileName.describe('The name by which the file manages what it names, as `managed_by` has it.'),
  prune: z.boolean().optional().describe('Whether what the file managed and names no more goes.'),
}
const digest = z
  .string()
  .regex(/^[\w-]{43}$/, { message: 'It is the digest of a plan.' })
  .describe('Of the plan: send it to apply just that.')

const planned = declaredPlan.extend({
  file: z.string(),
  digest,
  at_start: z
    .boolean()
    .describe('Whether the service applies a file of this name at each start: that file then counts again.'),
  sign_in_again: z
    .boolean()
    .describe('Whether applying it would be refused until the person has signed in again.'),
})
const applied = z.object({
  file: z.string(),
  digest,
  counts: z
    .record(z.string(), z.int())
    .describe(
      'What was done, as `detail` of the audit record `declared.applied` counts it: `user_create`, `role_change`.',
    ),
})

export const declaredSchemas = { DeclaredPlan: planned, DeclaredApplied: applied }

/** A file says what it likes of everybody and everything. */
export const admits = (authority: Authority): void => {
  authority.changesInstallation()
  authority.changesEverything()
}

const askerOf = (by: By): FileAsker => ({ ...originOf(by), now: by.now, claims: by.authority.claims })

interface SendingFile extends RouteRequest {
  body: Omit<SentFile, 'prune'> & { prune?: boolean | undefined }
}

const sentBy = ({ body: { text: sent, file, prune = false } }: SendingFile): SentFile => ({
  text: sent,
  file,
  prune,
})

const plannedAnswer = ({ service, by, body: { file } }: SendingFile, { plan, digest: made }: PlannedFile) => {
  const { declared } = service.settings
  const at_start = declared !== undefined && basename(declared) === file
  const told = { file, digest: made, at_start, sign_in_again: isLongAgo(by) }
  return { status: 200 as const, body: { ...told, ...plan } }
}

export const appliedAnswer = (made: AppliedFile): RouteResponse => ({ status: 200, body: made })

/** The plan, where it is the one that somebody saw. */
async function foreseen(asked: SendingFile & { body: { digest: string } }): Promise<PlannedFile> {
  const { service, by, body } = asked
  const found = await service.declared.plan(sentBy(asked), askerOf(by))
  if (found.digest !== body.digest) throw outdated(found.digest)
  return found
}

export const outdated = (now: string): Problem =>
  new Problem(
    'plan_outdated',
    'It would do something else now than the plan that was shown; nothing was applied. Plan it again.',
    { digest: now },
  )

export const declaredRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/declared/plan',
    permission: 'iam.declared.read',
    summary: 'Plan a declared file',
    description:
      'What applying the file would change, and whose access: what `tessera plan --json` prints, without the database. Nothing is changed or kept. A file that is refused is answered with its lines in `errors`. One file at a time, for administrators of everything.',
    answers: 'DeclaredPlan',
    changes: false,
    makes: false,
    repeatable: false,
    refusals: ['forbidden', 'last_administrator', 'conflict'],
    bodyLimit,
    admits,
    patience,
    body: z.strictObject(sentFile),
    handle: async (asked) =>
      plannedAnswer(asked, await asked.service.declared.plan(sentBy(asked), askerOf(asked.by))),
  }),
  route({
    method: 'POST',
    path: '/declared/apply',
    permission: 'iam.declared.update',
    summary: 'Apply a declared file',
    description:
      'Makes it so, all or nothing, where that is what the plan with this digest showed; else 409 `plan_outdated`, and nothing is changed. Some of what a file says is applied by the command alone, and refused here with its line: see docs/declared-file.md. A dry run answers the plan. For administrators of everything.',
    answers: 'DeclaredApplied',
    trial: 'DeclaredPlan',
    makes: false,
    refusals: ['forbidden', 'last_administrator', 'conflict', 'plan_outdated'],
    bodyLimit,
    admits,
    patience,
    body: z.strictObject({ ...sentFile, digest }),
    tried: async (asked) => plannedAnswer(asked, await foreseen(asked)),
    handle: apply,
  }),
  route({
    method: 'GET',
    path: '/declared/export',
    permission: 'iam.declared.read',
    summary: 'Export everything as a declared file',
    description:
      'The whole state as `tessera export` writes it, without the hashes of passwords and secrets; recorded in the audit. For administrators of everything, and of at most 20,000 people: beyond them by the command.',
    files: ['application/yaml'],
    refusals: ['forbidden', 'conflict'],
    admits,
    patience,
    async handle({ service, by }) {
      const exported = await service.declared.export(askerOf(by))
      const whole = async function* () {
        yield exported
      }
      return { status: 200, stream: { type: 'application/yaml', name: 'tessera.yaml', text: whole() } }
    },
  }),
]

/** Concurrency: as `applyDeclared`. Of requests with the same Idempotency-Key one does it. */
async function apply(asked: SendingFile & { body: { digest: string } }): Promise<RouteResponse> {
  const { service, by, body } = asked
  const repeatable = asked.repeatable(appliedAnswer)
  const given = async (): Promise<RouteResponse | undefined> => {
    const answer = repeatable && (await givenAnswer(service.store.db, repeatable, by.now))
    return answer === undefined ? undefined : { ...(JSON.parse(answer) as RouteResponse), repeated: true }
  }
  const before = await given()
  if (before !== undefined) return before
  try {
    // Refused for all else first.
    if (isLongAgo(by)) await foreseen(asked)
    wantRecentSignIn(by)
    const { keyHash = '', requestHash = '', expiresAt = 0 } = repeatable ?? {}
    const kept = repeatable && { keyHash, requestHash, expiresAt }
    return appliedAnswer(await service.declared.apply(sentBy(asked), body.digest, askerOf(by), kept))
  } catch (error) {
    // The same request may have applied it just now.
    const meanwhile = error instanceof Problem && error.code === 'plan_outdated' ? await given() : undefined
    if (meanwhile !== undefined) return meanwhile
    throw error
  }
}
