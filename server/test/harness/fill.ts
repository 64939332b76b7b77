import { start } from '../../dist/server.js'
import { testSettings } from './settings.ts'
import { openStore } from './stores.ts'

export const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

/** Makes the tables, and applies one file after the other. */
export async function fill(url: string, declared: readonly string[]): Promise<void> {
  await (await openStore(url)).close()
  for (const file of declared) {
    const running = await start(testSettings({ TESSERA_DATABASE_URL: url, TESSERA_DECLARED: file }))
    await running.close()
  }
}
