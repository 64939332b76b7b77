import { Command } from 'commander'
import { commandSchema, settingsSchema } from '../settings-schema.ts'
import { standardOf } from '../settings-shown.ts'

/** `tessera configuration`: the settings, from their schema. docs/configuration.md is its output. */
export function configurationCommand(): Command {
  return new Command('configuration')
    .description('Print every setting with its default, as Markdown.')
    .addHelpText('after', '\nExample:\n  $ tessera configuration > docs/configuration.md')
    .action(() => {
      process.stdout.write(configurationDocument())
    })
}

/** The text of docs/configuration.md; a test holds the file to it. */
export function configurationDocument(): string {
  const rows = (Object.keys(settingsSchema.shape) as (keyof typeof settingsSchema.shape)[]).map((name) => {
    const value = standardOf(name)
    return `| \`${name}\` | ${value === '' ? '–' : `\`${value}\``} | ${settingsSchema.shape[name].description ?? ''} |`
  })
  return `# Configuration

Settings come from the environment alone. An unknown \`TESSERA_*\` or a bad value stops the start with one line
that names the setting and says what to do. An empty variable counts as unset.

This page is generated from the schema in \`server/src/settings-schema.ts\`: run \`npx tessera configuration > docs/configuration.md\`.

| setting | default | what it does |
|---|---|---|
${rows.join('\n')}

## Of the command

The commands that administer go by the API of a running service when they are told its address; see
[command.md](command.md). They then read these alone, and the service reads none of them.

| variable | what it is |
|---|---|
${Object.entries(commandSchema.shape)
  .map(([name, schema]) => `| \`${name}\` | ${schema.description ?? ''} |`)
  .join('\n')}
`
}
