/** deploy/ against the code: settings, ports, paths and files that it names are those that there are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settingsSchema } from '../../dist/settings-schema.js'
import { latestEnd } from '../../dist/cli/stop.js'
import { readSettings } from '../../dist/server.js'
import { deployFiles, yamlOf } from './deploy-support.ts'
import { read } from './support.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-deploy-'))
  writeFileSync(join(folder, 'secret'), 'Kq7-a-secret-of-the-deploy-tests-0123456789')
  writeFileSync(join(folder, 'composed'), 'postgres://tessera:0a1b2c@postgres:5432/tessera\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('deploy/', () => {
  it('names no setting that there is not', () => {
    expect(deployFiles.length).toBeGreaterThan(12)
    for (const file of deployFiles) {
      for (const name of read(file).match(/\bTESSERA_[A-Z_]*[A-Z]\b/g) ?? [])
        expect(Object.keys(settingsSchema.shape), `${file}: ${name}`).toContain(name)
    }
  })
})

describe('the unit of systemd in docs/operations.md', () => {
  const [, unit = ''] = /^```ini\n(\[Unit\]\n.*?)^```$/ms.exec(read('docs/operations.md')) ?? []
  const values = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)

  it('sets what the service takes, out of files that only root reads', () => {
    writeFileSync(join(folder, 'database'), 'postgres://tessera:secret@db.internal/tessera\n')
    const environment = Object.fromEntries(
      values('Environment').map((one) => one.replace('%d', folder).split(/=(.*)/s).slice(0, 2)),
    ) as Record<string, string>
    expect(readSettings(environment).databaseUrl).toContain('db.internal')
    const files = Object.values(environment).filter((value) => value.startsWith(folder))
    expect(files.map((file) => file.slice(folder.length + 1)).sort()).toEqual(
      values('LoadCredential')
        .map((one) => one.split(':')[0])
        .sort(),
    )
  })

  it('waits for the end of the service, starts the command that exists, and writes no image of the memory', () => {
    expect(Number(values('TimeoutStopSec')[0]) * 1000).toBeGreaterThan(latestEnd + 1000)
    expect(values('ExecStart')).toEqual([expect.stringMatching(/\/node_modules\/\.bin\/tessera serve\b/)])
    expect(values('LimitCORE')).toEqual(['0'])
    // Each signal that it may send stops the service alike.
    expect(unit).not.toMatch(/KillSignal|ExecReload/)
  })
})

interface Compose {
  services: Record<
    string,
    {
      build?: { args?: Record<string, string> }
      environment: Record<string, string>
      secrets?: string[]
      volumes?: string[]
      networks: string[] | Record<string, { ipv4_address?: string }>
    }
  >
  secrets: Record<string, { file: string }>
  networks: Record<
    string,
    { internal?: boolean; ipam?: { config: { subnet: string; ip_range?: string; gateway?: string }[] } }
  >
}

/** Whether an address is in a network, as `172.30.77.0/24`. */
function isIn(network: string, address: string): boolean {
  const [start = '', bits = ''] = network.split('/')
  const list = new BlockList()
  list.addSubnet(start, Number(bits))
  return list.check(address)
}

describe('deploy/compose.yaml', () => {
  const compose = yamlOf(read('deploy/compose.yaml')) as Compose
  const caddyfile = read('deploy/Caddyfile')
  const services = Object.keys(compose.services).filter((name) => name.startsWith('tessera-'))

  it('starts two services with settings that the service takes', () => {
    expect(services).toHaveLength(2)
    for (const name of services) {
      const environment = Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [
        key,
        String(value).replaceAll(/\$\{(\w+):?[-?]?[^}]*\}/g, (_, variable: string) =>
          variable === 'DECLARED_FILE' ? '' : 'id.example.com',
        ),
      ])
      const given = Object.fromEntries(environment) as Record<string, string>
      const files = { TESSERA_SECRET_FILE: 'secret', TESSERA_DATABASE_URL_FILE: 'composed' }
      for (const [setting, file] of Object.entries(files)) {
        expect(given[setting], setting).toMatch(/^\/run\/secrets\//)
        given[setting] = join(folder, file)
      }
      const settings = readSettings(given)
      expect(settings.issuer).toBe('https://id.example.com')
      expect(settings.databaseUrl).toBe('postgres://tessera:0a1b2c@postgres:5432/tessera')
    }
  })

  it('has every password in a file, which whoever reads it is given', () => {
    for (const [name, { environment, secrets = [] }] of Object.entries(compose.services)) {
      for (const [key, value] of Object.entries(environment)) {
        const [, secret] = /^\/run\/secrets\/(\w+)$/.exec(String(value)) ?? []
        expect(key.endsWith('_FILE'), `${name}: ${key}`).toBe(secret !== undefined)
        if (secret === undefined) continue
        expect(secrets, `${name}: ${key}`).toContain(secret)
        expect(compose.secrets[secret]?.file).toBe(`./secrets/${secret}`)
      }
    }
    expect(read('deploy/compose.yaml')).not.toContain('POSTGRES_PASSWORD:')
  })

  it('hands out no address that is fixed', () => {
    const fixed = Object.entries(compose.networks).flatMap(([name, { ipam }]) => {
      const config = ipam?.config ?? []
      const ofServices = Object.values(compose.services).flatMap(({ networks }) => {
        const address = Array.isArray(networks) ? undefined : networks[name]?.ipv4_address
        return address === undefined ? [] : [address]
      })
      const gateways = config.flatMap(({ gateway }) => (gateway === undefined ? [] : [gateway]))
      const all = [...ofServices, ...gateways]
      // Where something is fixed, it is said what is handed out.
      expect(all.length === 0 || config.length === 1, name).toBe(true)
      return all.map((address) => ({ name, address, subnet: config[0]?.subnet, range: config[0]?.ip_range }))
    })
    expect(fixed.map(({ address }) => address)).toContain('172.30.77.2')
    for (const { name, address, subnet = '', range = '' } of fixed) {
      expect(isIn(subnet, address), `${name}: ${address}`).toBe(true)
      expect(isIn(subnet, range.split('/')[0] ?? ''), `${name}: ${range}`).toBe(true)
      expect(isIn(range, address), `${name}: ${address} in ${range}`).toBe(false)
    }
    expect(new Set(fixed.map(({ address }) => address)).size).toBe(fixed.length)
  })

  it('builds on the image that the Dockerfile names, or another one', () => {
    const [, image = ''] = /NODE_IMAGE=(\S+)/.exec(read('deploy/Dockerfile')) ?? []
    expect(image).not.toBe('')
    for (const name of services)
      expect(compose.services[name]?.build?.args).toEqual({ NODE_IMAGE: `\${NODE_IMAGE:-${image}}` })
  })

  it('has the proxy lead to each of them, and trusts its address alone', () => {
    const [, upstreams = ''] = /reverse_proxy (.*) \{/.exec(caddyfile) ?? []
    expect(upstreams.split(' ')).toEqual(services.map((name) => `${name}:4000`))
    const proxy = compose.services.proxy?.networks ?? []
    const address = (Array.isArray(proxy) ? undefined : proxy.edge?.ipv4_address) ?? ''
    expect(address).not.toBe('')
    for (const name of services)
      expect(compose.services[name]?.environment.TESSERA_TRUSTED_PROXIES).toBe(address)
    const subnet = compose.networks.edge?.ipam?.config[0]?.subnet ?? ''
    expect(address.startsWith(subnet.replace(/0\/24$/, ''))).toBe(true)
    expect(compose.networks.database?.internal).toBe(true)
  })

  it('keeps a connection in the proxy for less long than the service does', () => {
    const [, here = ''] = /keepalive (\d+)s/.exec(caddyfile) ?? []
    const [, there = ''] = /keepAliveTimeout: ([\d_]+)/.exec(read('server/src/http/app.ts')) ?? []
    expect(Number(here) * 1000).toBeLessThan(Number(there.replaceAll('_', '')))
    expect(Number(here)).toBeGreaterThan(0)
  })

  it('shows the world neither health nor metrics, and mounts files that exist', () => {
    expect(caddyfile).toMatch(/@operators path \/health\/\* \/metrics\n\s*respond @operators 404/)
    expect(caddyfile).not.toContain('9464')
    expect(compose.services.proxy?.volumes?.[0]).toMatch(/^\.\/Caddyfile:/)
  })
})
