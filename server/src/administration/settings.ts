import * as z from 'zod'
import { pageOf } from './fields.ts'
import { route, type Route } from './route.ts'

/** What the environment sets: it is shown here, and changed where the service is started. */

const setting = z.object({
  name: z.string(),
  description: z.string().describe('What it does, as docs/configuration.md says it.'),
  value: z
    .string()
    .nullable()
    .describe(
      'What holds, as it is written; null: nothing, or it is secret. Addresses are shown without user and password.',
    ),
  standard: z.string().nullable().describe('What holds where it is not set; null: nothing.'),
  set: z.boolean().describe('The environment says it, by itself or by a file.'),
  secret: z.boolean().describe('Its value is never shown.'),
})

export const settingSchemas = { Setting: setting, SettingPage: pageOf(setting) }

export const settingRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/settings',
    permission: 'iam.settings.read',
    summary: 'List the settings of the environment',
    description:
      'All of them at once, as the process that answers was started with them; to change one, set it there and start the service again. What is set within the service is at `/policy`, `/branding` and `/break-glass`. For administrators of the whole installation. By the command on the database itself it is the environment of that command.',
    answers: 'SettingPage',
    columns: ['name', 'value', 'set'],
    refusals: ['forbidden'],
    async handle({ service: { settings }, by }) {
      by.authority.changesInstallation()
      return { status: 200, body: { items: settings.shown, next_cursor: null } }
    },
  }),
]
