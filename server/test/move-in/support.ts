import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import * as z from 'zod'
import { moveIn } from '../../dist/move-in/move-in.js'
import type { SourceOptions } from '../../dist/move-in/told.js'
import type { MovedSystem } from '../../dist/protocol/move-in.js'

const row = z.looseObject({ email: z.string(), profiles: z.array(z.unknown()) })
const declaredParts = z.object({
  organisations: z.array(z.looseObject({ code: z.string(), name: z.string() })).default([]),
  roles: z.array(z.looseObject({ code: z.string(), permissions: z.array(z.string()) })).default([]),
  services: z.array(z.looseObject({ code: z.string() })).default([]),
  clients: z.array(z.looseObject({ client_id: z.string(), type: z.string() })).default([]),
})

/** An export of `exports/`. */
export const exported = (name: string): string =>
  readFileSync(new URL(`exports/${name}`, import.meta.url), 'utf8')

/** Files of each system, which say most of what is read of it. */
export const exportFiles: Readonly<Record<MovedSystem, readonly string[]>> = {
  keycloak: ['keycloak-hafen.json'],
  auth0: ['auth0-profiles.ndjson', 'auth0-hashes.ndjson', 'auth0-apps.json'],
  zitadel: ['zitadel-export.json', 'zitadel-users.json', 'zitadel-apps.json'],
  logto: ['logto-users.jsonl', 'logto-roles.jsonl'],
  ory: ['kratos.json', 'hydra.json'],
  firebase: ['firebase.csv'],
  cognito: ['cognito-users.json', 'admins.group.json'],
  okta: ['okta-users.json', 'okta-groups.json'],
  django: ['django.json'],
  'aspnet-identity': ['aspnet-users.csv', 'aspnet-roles.csv', 'aspnet-user-roles.csv'],
  ldif: ['people.ldif'],
}

/** What comes of files; of what the import refuses, the report's lines are left out. */
export async function moved(
  source: MovedSystem,
  files: Readonly<Record<string, string | Buffer>>,
  { mapping, ...options }: SourceOptions & { mapping?: string } = {},
) {
  const lines: string[] = []
  const {
    declared,
    report,
    mapping: written,
  } = await moveIn({
    ...options,
    source,
    files: Object.entries(files).map(exportFile),
    mapping,
    person: (line) => lines.push(line),
  })
  return {
    people: lines.map((line) => row.parse(JSON.parse(line))),
    lines,
    declared: declaredParts.parse(parse(declared) ?? {}),
    report: report
      .split('\n')
      .filter((line) => line.startsWith('- **') && !line.includes('The import will refuse somebody.')),
    mapping: written,
  }
}

/** Chunks are small, so that what is read lies across their ends. */
const exportFile = ([name, content]: readonly [string, string | Buffer]) => ({
  name,
  bytes: async function* () {
    const bytes = Buffer.from(content)
    const size = Math.max(7, Math.ceil(bytes.length / 64))
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size))
  },
})
