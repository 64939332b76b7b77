import type { Service } from '../../service.ts'
import { administrationPaths } from './administration.ts'
import { afterIssuingPaths } from './after-issuing.ts'
import { authorizePaths } from './authorize.ts'
import { components } from './components.ts'
import { discoveryPaths } from './discovery.ts'
import { introduction } from './introduction.ts'
import { logoutPaths } from './logout.ts'
import { protectedServicePaths } from './protected-service.ts'
import { tokenPaths } from './token.ts'
import { userinfoPaths } from './userinfo.ts'

const tags = [
  { name: 'Discovery', description: 'What anyone may read.' },
  { name: 'Signing people in', description: 'Where a client sends the browser.' },
  { name: 'Tokens', description: 'Getting, refreshing, asking about and revoking tokens.' },
  { name: 'Signing people out', description: 'Where a client sends the browser at the end.' },
  {
    name: 'Administration',
    description: 'People, organisations, roles and clients. Itself a protected service, `iam`.',
  },
  {
    name: 'Protected services',
    description: 'How APIs that accept these tokens answer. An example, not served here.',
  },
]

/**
 * The interface description (OpenAPI 3.1). Error codes, scopes, claims, times and limits come from where the
 * service itself has them; a test holds the paths to the routes.
 */
export function openApiDocument(service: Pick<Service, 'issuer' | 'settings'>): object {
  const { issuer, settings } = service
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera API',
      version: '0.1.0',
      summary: 'OpenID Connect provider and token issuer for organisations',
      description: introduction(service),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: issuer, description: 'The issuer' }],
    externalDocs: {
      description: 'This description, to read and to try',
      url: `${settings.docsUrl ?? issuer}/api/doc`,
    },
    tags,
    paths: {
      ...discoveryPaths(service),
      ...authorizePaths(service),
      ...tokenPaths(service),
      ...userinfoPaths(),
      ...afterIssuingPaths(service),
      ...logoutPaths(),
      ...administrationPaths(),
      ...protectedServicePaths(),
    },
    components: components(service),
  }
}
