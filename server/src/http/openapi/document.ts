import type { Service } from '../../service.ts'

/** The interface description (OpenAPI 3.1). */
export function openApiDocument(service: Pick<Service, 'issuer' | 'settings'>): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Tessera', version: '0.1.0' },
    servers: [{ url: service.issuer }],
    paths: {},
  }
}
