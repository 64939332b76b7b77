/** Starts the service, the wiki and Caddy before it; whichever ends takes the others along. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const service = fileURLToPath(new URL('../../server/', import.meta.url))

const missing = [
  spawnSync('caddy', ['version']).status !== 0 &&
    'caddy is not installed. It stands before the wiki and asks Tessera about each request: `apt install caddy`, `brew install caddy`, or https://caddyserver.com/docs/install.',
  !existsSync(`${service}dist/server.js`) &&
    'Tessera is not built. Run `npm ci` and `npm run build` in the root of the repository.',
].filter((one) => one !== false)
if (missing.length > 0) {
  process.stderr.write(`${missing.join('\n')}\n`)
  process.exit(1)
}

const { PATH, HOME } = process.env
let stopping = false
const tessera = {
  TESSERA_MODE: 'development',
  TESSERA_PORT: '4050',
  TESSERA_DATABASE_URL: 'sqlite:data/tessera.sqlite',
  TESSERA_DECLARED: 'access.yaml',
  TESSERA_FORWARD_AUTH_PROXIES: '127.0.0.1',
  TESSERA_LOG_LEVEL: 'warn',
}
const children = [
  run([process.execPath, `${service}bin/tessera.cjs`, 'serve'], tessera),
  run([process.execPath, 'wiki.mjs'], {}),
  // Its certificates are its own, and stay in this folder.
  run(['caddy', 'run', '--config', 'Caddyfile'], { XDG_DATA_HOME: 'data', XDG_CONFIG_HOME: 'data' }),
]

function run([command, ...line], env) {
  const child = spawn(command, line, {
    cwd: here,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = []
  child.stderr.on('data', (some) => said.push(some))
  child.once('exit', (code) => {
    if (!stopping)
      process.stderr.write(
        `${Buffer.concat(said).toString().slice(-2000)}${line.join(' ')} has ended (${code}).\n`,
      )
    stop(1)
  })
  return child
}

function stop(code) {
  if (stopping) return
  stopping = true
  process.exitCode = code
  for (const child of children) child.kill('SIGTERM')
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(0))

const answers = async (url) =>
  await fetch(url, { redirect: 'manual' }).then(
    ({ ok }) => ok,
    () => false,
  )

while (
  !stopping &&
  !((await answers('http://localhost:4050/health/ready')) && (await answers('http://127.0.0.1:4051/')))
)
  await new Promise((resolve) => setTimeout(resolve, 200))

if (!stopping)
  process.stdout.write(`
The wiki is at https://wiki.localhost:8443 (its certificate is Caddy's own: let the browser pass).

  mara.lind@acme.example      mara-development-password     reads and writes
  jonas.weber@acme.example    jonas-development-password    reads
  tomas.novak@acme.example    tomas-development-password    may see nothing

Data is in examples/wiki/data; remove it to begin anew. Stop with Ctrl+C.
`)
