import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, run, Serving, temporaryFolder } from '../harness/process.ts'
import { machineToken } from '../harness/program.ts'
import { runHere } from './command-support.ts'

/** `TESSERA_DATABASE_URL_FILE`, as container secrets come, for the service and for each command alike. */

afterAll(cleanUp)

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

onEachDatabase('the address of the database out of a file', (dialect) => {
  let database: TestDatabase
  let folder: string
  let environment: Record<string, string>
  beforeAll(async () => {
    database = await createDatabase(dialect, 'administered')
    folder = temporaryFolder()
    environment = { TESSERA_DATABASE_URL_FILE: join(folder, 'database'), TESSERA_MODE: 'development' }
    writeFileSync(join(folder, 'database'), `${database.url}\n`)
  })
  afterAll(() => database.remove())

  const commands: [string, number, RegExp][] = [
    ['user list', 0, /importer@acme\.example/],
    [`plan ${acme}`, 0, /Nothing to change/],
    [`apply ${acme} --yes`, 0, /Nothing to change/],
    ['export', 0, /importer@acme\.example/],
    ['keys list', 0, /RS256/],
    ['keys reencrypt', 0, /TESSERA_SECRET/],
    ['audit list', 0, /key\.created/],
    ['audit verify', 0, /whole|nothing/i],
    ['access who iam.users.read', 0, /@acme\.example/],
    ['mail list', 0, /^/],
    ['migrate', 0, /up to date/],
    ['restored --yes', 0, /Ended/],
  ]
  it.each(commands)('is that of tessera %s', async (commandLine, code, prints) => {
    const ran = await runHere(commandLine.split(' '), { environment })
    expect(ran.stdout + ran.stderr).toMatch(prints)
    expect(ran.code).toBe(code)
  })

  it('is that of the service and what asks it', async () => {
    const serving = await Serving.start({ ...environment, TESSERA_LOG_LEVEL: 'silent' })
    expect(await machineToken(serving.url)).toMatch(/^ey/)
    expect(await serving.stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('is that of tessera import, and of tessera backup, which needs the embedded database', async () => {
    const file = join(folder, 'people.csv')
    writeFileSync(file, 'email,name,email_verified\nimporter@acme.example,Again,true\n')
    const imported = await run(['import', file, '--dry-run'], { environment })
    expect(imported).toMatchObject({ code: 2, stderr: expect.stringContaining('This address is taken') })
    const { code } = await runHere(['backup', join(folder, 'copy')], { environment })
    expect(code).toBe(dialect === 'sqlite' ? 0 : 1)
  })
})
