import { readSettings, type Settings } from '../../dist/server.js'
import { secret } from './process.ts'

/** Settings of a service under test: development mode, a free port, a fixed secret, no log. */
export function testSettings(environment: Record<string, string>): Settings {
  return readSettings({
    TESSERA_MODE: 'development',
    TESSERA_PORT: '0',
    TESSERA_HOST: '127.0.0.1',
    TESSERA_SECRET: secret,
    TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'silent',
    ...environment,
  })
}
