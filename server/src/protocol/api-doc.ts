/** The address of the interface description: at the issuer, or where TESSERA_DOCS_URL says. */
export function apiDocUrl(service: { issuer: string; settings: { docsUrl: string | undefined } }): string {
  return `${service.settings.docsUrl ?? service.issuer}/api/doc`
}
