/** glewlwyd, where Debian's package is on this machine: a process of its own on a new SQLite, set up by its own API. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { newFolder, remove } from '../service.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { machine, setUp, web } from './glewlwyd-setup.ts'
import { countTicks, runningOf } from './processes.ts'
import type { Target } from './target.ts'

const tables = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3'

/** Undefined where the package is not installed: the bench says so and goes on. */
export async function startGlewlwyd(): Promise<Target | undefined> {
  const { stdout, status } = spawnSync('glewlwyd', ['--version'], { encoding: 'utf8' })
  if (status !== 0 || !existsSync(tables)) {
    process.stdout.write(
      'glewlwyd is left out: it is not installed here (on Debian: apt-get install glewlwyd).\n',
    )
    return undefined
  }
  const folder = newFolder()
  const port = await freePort()
  const issuer = `http://localhost:${port}/api/oidc`
  const child = spawn('glewlwyd', [`--config-file=${configure(folder, port)}`], { stdio: 'ignore' })
  const { pid, stop } = runningOf(child)
  const end = async () => {
    await stop()
    remove(folder)
  }
  try {
    const cookie = await setUp(`http://localhost:${port}`, issuer)
    return {
      name: 'glewlwyd',
      version: stdout.trim(),
      issuer,
      port,
      jwks: '/api/oidc/jwks',
      authorize: '/api/oidc/auth',
      token: '/api/oidc/token',
      cookie,
      // What its own pages add when somebody has signed in.
      web: { ...web, g_continue: '' },
      machine,
      redirect: 302,
      refreshesIdToken: false,
      countCpu: () => countTicks(pid),
      stop: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** Its tables as the package makes them, and a configuration as the package's, but for the log of every request. */
function configure(folder: string, port: number): string {
  const path = join(folder, 'glewlwyd.sqlite')
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = WAL')
  database.exec(readFileSync(tables, 'utf8'))
  database.close()
  const file = join(folder, 'glewlwyd.conf')
  const modules = '/usr/lib/glewlwyd'
  writeFileSync(
    file,
    `port=${port}
bind_address="127.0.0.1"
external_url="http://localhost:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="ERROR"
cookie_domain="localhost"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="${modules}/user"
client_module_path="${modules}/client"
user_auth_scheme_module_path="${modules}/scheme"
plugin_module_path="${modules}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${path}" };
`,
  )
  return file
}
