/** `/:api_area/vista-import`: takes VISTA files, shows past imports and withdraws them. Who may is decided before (server.ts). */
import type { AccessTokenClaims } from '@tessera/guard'
import { claimsOf } from '@tessera/guard/fastify'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Actor, Import, Store } from './store.ts'
import { checkRows, readCsvFile, readJsonFile, UnreadableFile } from './submission.ts'

/** The one area that exists; the path's shape allows for more. */
const area = 'submissions'
export const path = '/:api_area/vista-import'

const query = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).default(50) })

/** The body of a CSV request: told apart from JSON by its own type. */
export class CsvBody {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export function addVistaImport(app: FastifyInstance, store: Store, now: () => number): void {
  // After the guard: a request without the permission does not learn which areas exist.
  app.addHook<{ Params: { api_area?: string } }>('onRequest', async (request, reply) => {
    if (request.routeOptions.url !== path || request.params.api_area === area) return
    return reply.callNotFound()
  })

  app.post(path, async (request, reply) => {
    const answer = importFile(request, store, now())
    // Nothing was stored, so the status must not look like success.
    return reply.code(answer.import === null ? 422 : 201).send(answer)
  })

  app.get(path, async (request, reply) => {
    const { data } = query.safeParse(request.query)
    if (data === undefined) {
      const error_description = 'The only parameter is limit, a number from 1 to 100'
      return reply.code(400).send({ error: 'invalid_request', error_description })
    }
    return { imports: store.list(actorOf(claimsOf(request)).organisation_uuid, data.limit) }
  })

  app.delete(path, async (request) => ({
    withdrawn: store.withdraw(actorOf(claimsOf(request)).organisation_uuid),
  }))
}

interface ImportAnswer {
  import: Import | null
  imported: { row: number; reference: string }[]
  refused: { row: number; field: string; reason: string }[]
}

function importFile(request: FastifyRequest, store: Store, now: number): ImportAnswer {
  const { body } = request
  const rows = body instanceof CsvBody ? readCsvFile(body.text) : readJsonFile(body)
  const { valid, refused } = checkRows(rows, new Date(now).toISOString().slice(0, 10))
  const actor = actorOf(claimsOf(request))
  const format = body instanceof CsvBody ? 'csv' : 'json'
  const stored = store.add({ actor, format, now, rows: rows.length, valid })
  const duplicates = new Set(stored.refused.map(({ row }) => row))
  return {
    import: stored.import ?? null,
    imported: valid
      .filter(({ row }) => !duplicates.has(row))
      .map(({ row, submission }) => ({ row, reference: submission.reference })),
    refused: [...refused, ...stored.refused].sort((a, b) => a.row - b.row),
  }
}

function actorOf(claims: AccessTokenClaims): Actor {
  return {
    sub: claims.sub,
    client_id: claims.client_id,
    profile_uuid: claims.profile_uuid ?? null,
    role_code: claims.role_code ?? null,
    organisation_uuid: claims.organisation_uuid ?? null,
    organisation_unit_uuid: claims.organisation_unit_uuid ?? null,
  }
}

/** Reads CSV as UTF-8, strictly: a file in another encoding would be stored with other letters. */
export function parseCsvBody(bytes: Buffer): CsvBody {
  try {
    return new CsvBody(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new UnreadableFile('The file is not in UTF-8')
  }
}
