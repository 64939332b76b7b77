/** Until somebody writes another one, an identifier is made of the name. */
export const codeFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
    .replaceAll(/^-|-$/g, '')
