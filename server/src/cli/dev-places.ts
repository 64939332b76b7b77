import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../http/free-port.ts'
import { readSettings, type Settings, SettingsError } from '../settings.ts'

/** The ports of the documents and of the development file. */
const usualPorts = { service: 4000, web: 4001, api: 4002 } as const
type Ports = Record<keyof typeof usualPorts, number>

/** The settings, ports and folders of `tessera dev`, before anything is started. */
export interface DevPlaces {
  settings: Settings
  ports: Ports
  issuer: string
  /** What the examples keep, and the service unless TESSERA_DATABASE_URL says otherwise. */
  data: string
}

/** A file of the examples: in a checkout beside the packages, in an installed package inside it. Throws without it. */
export function exampleFile(path: string): string {
  const [found] = ['../../../examples', '../../examples']
    .map((folder) => fileURLToPath(new URL(`${folder}/${path}`, import.meta.url)))
    .filter((one) => existsSync(one))
  if (found !== undefined) return found
  throw new Error(
    `examples/${path} is not there. In a checkout run npm run build; where the package was installed, install it anew.`,
  )
}

/**
 * Reads the settings and looks whether all three ports are free. Throws when one is not, and has touched nothing then.
 * Other ports have data of their own, because the clients in the data name the ports.
 */
export async function places(environment: NodeJS.ProcessEnv): Promise<DevPlaces> {
  const { TESSERA_PORT: port, TESSERA_DECLARED: declared, TESSERA_DATABASE_URL_FILE: file } = environment
  const moved = port !== undefined && port !== '' && port !== String(usualPorts.service)
  const data = moved ? `data/${port}` : 'data'
  const settings = readSettings({
    TESSERA_MODE: 'development',
    TESSERA_LOG_LEVEL: 'warn',
    ...(!file && { TESSERA_DATABASE_URL: `sqlite:${data}/tessera.sqlite` }),
    TESSERA_DECLARED: exampleFile('development.yaml'),
    ...environment,
  })
  const ports = await freePorts(settings)
  const issuer = settings.issuer ?? `http://localhost:${ports.service}`
  if (moved && (declared === undefined || declared === '')) settings.declared = movedFile(data, ports)
  return { settings: { ...settings, port: ports.service }, ports, issuer, data }
}

async function freePorts({ host, port }: Settings): Promise<Ports> {
  if (port > 65_533)
    throw new SettingsError('TESSERA_PORT leaves no room for two more: set it to 65533 or less.')
  const following = (offset: number) => (port === 0 ? 0 : port + offset)
  // Together, so that no two are the same. When several are taken, the first is named.
  const looked = [
    free(host, following(0), port),
    free('localhost', following(1), port),
    free('127.0.0.1', following(2), port),
  ] as const
  await Promise.allSettled(looked)
  const [service, web, api] = await Promise.all(looked)
  return { service, web, api }
}

async function free(host: string, port: number, first: number): Promise<number> {
  try {
    return await freePort(host, port)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    const other = first > 60_000 ? usualPorts.service : first + 10
    throw new SettingsError(
      `Port ${port} is taken, perhaps by another of these that still runs (lsof -i :${port} tells). Stop it, or move all three: with TESSERA_PORT=${other} the same command takes ${other}, ${other + 1} and ${other + 2}, and keeps its data under data/${other}/. Nothing was changed.`,
    )
  }
}

/** The development file, whose clients are registered at other ports. */
function movedFile(data: string, ports: Ports): string {
  const moved = Object.entries(usualPorts).map(([what, usual]) => [usual, ports[what as keyof Ports]])
  const at = new Map(moved.map(([usual, port]) => [String(usual), String(port)]))
  const usual = new RegExp(`(?<=localhost:|127\\.0\\.0\\.1:)(${[...at.keys()].join('|')})\\b`, 'g')
  const text = readFileSync(exampleFile('development.yaml'), 'utf8')
  const file = join(data, 'development.yaml')
  mkdirSync(data, { recursive: true })
  writeFileSync(
    file,
    text.replaceAll(usual, (port) => at.get(port) ?? port),
  )
  return file
}
